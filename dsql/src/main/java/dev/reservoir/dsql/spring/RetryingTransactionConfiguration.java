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
 * Makes methods with {@code @Transactional} run again after a conflict. Import it together with
 * {@code @EnableTransactionManagement}:
 *
 * <pre>{@code
 * @Configuration
 * @EnableTransactionManagement
 * @Import(RetryingTransactionConfiguration.class)
 * class Database { ... }
 * }</pre>
 *
 * <p>A bean of type {@link Retries} sets the number of retries and the pauses. If the application has none, this class
 * adds one with the defaults. The {@linkplain Retries#metrics metrics} of that bean count the outcomes of the methods.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class RetryingTransactionConfiguration {

    /** Spring calls this constructor. */
    public RetryingTransactionConfiguration() {}

    /** Adds {@link RetryingTransactionInterceptor#commitListener} to every transaction manager. */
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

    /** Returns the default policy. Spring uses it if the application has no other. */
    @Bean
    @Fallback
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    public static Retries retryingTransactionRetries() {
        return Retries.defaults();
    }

    /** Returns the advisor: an infrastructure bean, because Spring's transaction support considers no others. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    public static RetryingTransactionAdvisor retryingTransactionAdvisor(Retries retries) {
        return new RetryingTransactionAdvisor(retries);
    }
}
