package dev.reservoir.spring.boot.failure;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The URL and the user of the data source that the starter created. Kept at the definition of its bean, because a start
 * that fails destroys the beans before Spring Boot explains the failure.
 *
 * @param url the URL without its secrets, or the endpoint of a cluster, if there is one
 * @param user the user to log in as, if it is known
 */
public record UsedLogin(@Nullable String url, @Nullable String user) {
    private static final String ATTRIBUTE = UsedLogin.class.getName();

    /** Keeps it for an explanation. Does nothing if the bean has no definition. */
    public void keep(BeanFactory beans, String beanName) {
        if (beans instanceof ConfigurableListableBeanFactory all && all.containsBeanDefinition(beanName)) {
            all.getBeanDefinition(beanName).setAttribute(ATTRIBUTE, this);
        }
    }

    /** The one that was kept, or null if the starter created no data source. */
    static @Nullable UsedLogin find(BeanFactory beans) {
        if (beans instanceof ConfigurableListableBeanFactory all) {
            for (String name : all.getBeanDefinitionNames()) {
                if (all.getBeanDefinition(name).getAttribute(ATTRIBUTE) instanceof UsedLogin login) {
                    return login;
                }
            }
        }
        return null;
    }
}
