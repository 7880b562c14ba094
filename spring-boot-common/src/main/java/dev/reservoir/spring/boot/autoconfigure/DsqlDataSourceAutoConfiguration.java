package dev.reservoir.spring.boot.autoconfigure;

import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.spring.boot.ReservoirDataSourceCustomizer;
import dev.reservoir.spring.boot.source.DataSourceStarter;
import dev.reservoir.spring.boot.source.DsqlDataSourceStarter;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** Aurora DSQL's data source, if its module is present and a property names the endpoint of the cluster. */
@AutoConfiguration(
        beforeName = {
            "dev.reservoir.spring.boot3.ReservoirDataSourceAutoConfiguration",
            "dev.reservoir.spring.boot4.ReservoirDataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@ConditionalOnClass(DsqlDataSource.class)
@ConditionalOnText("spring.datasource.reservoir.dsql.endpoint")
@ConditionalOnMissingBean({DataSource.class, XADataSource.class})
public class DsqlDataSourceAutoConfiguration {

    /** Spring calls this constructor. */
    public DsqlDataSourceAutoConfiguration() {}

    /** Starts the data source. Spring closes it at the end. */
    @Bean(DataSourceStarter.BEAN_NAME)
    public DsqlDataSource dataSource(
            BeanFactory beans,
            Environment environment,
            ObjectProvider<ReservoirDataSourceCustomizer> customizers,
            ObjectProvider<AwsCredentialsProvider> credentials) {
        return new DsqlDataSourceStarter(beans, environment, customizers).start(credentials);
    }
}
