package dev.reservoir.dsql.spring;

import dev.reservoir.dsql.Retries;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Makes methods with {@code @Transactional} run again when they conflict. To be imported beside {@code @EnableTransactionManagement}:
 *
 * <pre>{@code
 * @Configuration
 * @EnableTransactionManagement
 * @Import(RetryingTransactionConfiguration.class)
 * class Database { ... }
 * }</pre>
 *
 * <p>A bean of type {@link Retries}, if there is one, says how often and after what pauses.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class RetryingTransactionConfiguration {

    /** Made by Spring. */
    public RetryingTransactionConfiguration() {}

    /** The advisor; an infrastructure bean, since Spring's transactions look for no others. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    public static RetryingTransactionAdvisor retryingTransactionAdvisor(ObjectProvider<Retries> retries) {
        return new RetryingTransactionAdvisor(retries.getIfAvailable(Retries::defaults));
    }
}
