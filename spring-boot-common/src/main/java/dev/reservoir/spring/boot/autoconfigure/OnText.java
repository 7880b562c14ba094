package dev.reservoir.spring.boot.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/** The condition of {@link ConditionalOnText}. */
final class OnText extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        String[] properties = metadata.getAnnotations()
                .get(ConditionalOnText.class)
                .synthesize()
                .value();
        ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnText.class);
        for (String property : properties) {
            if (StringUtils.hasText(context.getEnvironment().getProperty(property))) {
                return ConditionOutcome.match(message.foundExactly(property));
            }
        }
        return ConditionOutcome.noMatch(
                message.didNotFind("a property with text").items((Object[]) properties));
    }
}
