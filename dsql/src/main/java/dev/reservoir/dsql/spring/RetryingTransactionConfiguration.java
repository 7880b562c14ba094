package dev.reservoir.dsql.spring;

import dev.reservoir.dsql.tx.Retries;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;

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
 * <p>A bean of type {@link Retries}, if there is one, says how often and after what pauses; if there is none, this brings the defaults as such a
 * bean. Its {@linkplain Retries#metrics metrics} count what became of the methods.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class RetryingTransactionConfiguration {

    /** Made by Spring. */
    public RetryingTransactionConfiguration() {}

    /** Gives {@link RetryingTransactionInterceptor#commitListener} to every transaction manager. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    public static BeanPostProcessor retryingTransactionCommitListener() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean instanceof ConfigurableTransactionManager manager) {
                    manager.addListener(RetryingTransactionInterceptor.commitListener());
                }
                return bean;
            }
        };
    }

    /** The defaults, where there are no others. */
    @Bean
    @Fallback
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    public static Retries retryingTransactionRetries() {
        return Retries.defaults();
    }

    /** The advisor; an infrastructure bean, since Spring's transactions look for no others. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    public static RetryingTransactionAdvisor retryingTransactionAdvisor(Retries retries) {
        return new RetryingTransactionAdvisor(retries);
    }
}
