package dev.reservoir.spring.boot4;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.spring.boot.ReservoirDataSourceCustomizer;
import dev.reservoir.spring.boot.autoconfigure.ConditionalOnDatabase;
import dev.reservoir.spring.boot.source.DataSourceStarter;
import dev.reservoir.spring.boot.source.DatabaseLogin;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.util.StringUtils;

/**
 * Makes a reservoir the data source of an application that has none of its own, even if HikariCP is on the class path.
 * Does nothing if a property names another type, or if no database is configured: then Spring Boot decides.
 */
@AutoConfiguration(after = XADataSourceAutoConfiguration.class, before = DataSourceAutoConfiguration.class)
@ConditionalOnClass({DataSource.class, EmbeddedDatabaseType.class})
@ConditionalOnDatabase
@EnableConfigurationProperties(DataSourceProperties.class)
public class ReservoirDataSourceAutoConfiguration {

    /** Spring calls this constructor. */
    public ReservoirDataSourceAutoConfiguration() {}

    /** Starts the data source. Spring closes it at the end, which waits for connections in use. */
    @Bean(DataSourceStarter.BEAN_NAME)
    public ReservoirDataSource dataSource(
            DataSourceProperties properties,
            ObjectProvider<JdbcConnectionDetails> details,
            BeanFactory beans,
            Environment environment,
            ObjectProvider<ReservoirDataSourceCustomizer> customizers) {
        JdbcConnectionDetails given = details.getIfAvailable();
        return new DataSourceStarter(beans, environment, customizers)
                .start(given == null ? login(properties) : login(given));
    }

    private static DatabaseLogin login(JdbcConnectionDetails details) {
        return new DatabaseLogin(
                details.getJdbcUrl(), details.getUsername(), details.getPassword(), details.getDriverClassName(), true);
    }

    private static DatabaseLogin login(DataSourceProperties properties) {
        String url = StringUtils.hasText(properties.getUrl()) ? properties.getUrl() : null;
        return new DatabaseLogin(
                url,
                url == null ? properties.getUsername() : properties.determineUsername(),
                url == null ? properties.getPassword() : properties.determinePassword(),
                properties.getDriverClassName(),
                false);
    }
}
