package dev.reservoir.spring.boot.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if one of these properties has a value that is not blank. Spring Boot's {@code @ConditionalOnProperty} also
 * matches a blank one, such as that of {@code ${ENDPOINT:}} if the variable is not set.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnText.class)
public @interface ConditionalOnText {
    /** The full names of the properties, written in lower case and with dashes. */
    String[] value();
}
