package dev.reservoir.spring.boot.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if the application has no data source of its own, no property names another type, and the application says
 * where its database is. Without the last, Spring Boot may use an embedded one.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnMissingBean(
        value = {DataSource.class, XADataSource.class},
        type = "io.r2dbc.spi.ConnectionFactory")
@ConditionalOnProperty(
        name = "spring.datasource.type",
        havingValue = "dev.reservoir.jdbc.ReservoirDataSource",
        matchIfMissing = true)
@Conditional(ConditionalOnDatabase.OnDatabase.class)
public @interface ConditionalOnDatabase {
    /** The last part of the condition. */
    final class OnDatabase extends AnyNestedCondition {
        OnDatabase() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnText({
            "spring.datasource.url",
            "spring.datasource.reservoir.data-source-class-name",
            "spring.datasource.hikari.data-source-class-name"
        })
        static final class Property {}

        @ConditionalOnBean(type = "org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails")
        static final class DetailsOfBoot3 {}

        @ConditionalOnBean(type = "org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails")
        static final class DetailsOfBoot4 {}
    }
}
