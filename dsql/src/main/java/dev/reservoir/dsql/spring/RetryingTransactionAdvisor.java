package dev.reservoir.dsql.spring;

import dev.reservoir.dsql.tx.Retries;
import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/**
 * Applies a {@link RetryingTransactionInterceptor} to every method with {@code @Transactional}. Its order places it
 * just outside Spring's own transaction advice. If Spring's advice has another order, set a smaller order here.
 */
public final class RetryingTransactionAdvisor extends AbstractPointcutAdvisor {
    private static final long serialVersionUID = 1L;

    /** The position just outside Spring's own advice, which comes last by default. */
    public static final int ORDER = Ordered.LOWEST_PRECEDENCE - 1;

    private final transient TransactionAttributeSource attributes = new AnnotationTransactionAttributeSource();
    private final transient Advice advice;

    private final transient Pointcut pointcut = new StaticMethodMatcherPointcut() {
        @Override
        public boolean matches(Method method, Class<?> type) {
            return attributes.hasTransactionAttribute(method, type);
        }
    };

    /** Creates an advisor that runs methods again by this policy. */
    public RetryingTransactionAdvisor(Retries retries) {
        this.advice = new RetryingTransactionInterceptor(retries, attributes);
        setOrder(ORDER);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    /** Compares by identity, because each advisor has a retry policy of its own. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
