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
 * Puts a {@link RetryingTransactionInterceptor} around every method with {@code @Transactional}. By its order it stands just outside Spring's own
 * advice; if that was given another order, this needs a smaller one.
 */
public final class RetryingTransactionAdvisor extends AbstractPointcutAdvisor {
    private static final long serialVersionUID = 1L;

    /** Just outside Spring's own, which comes last unless it was told otherwise. */
    public static final int ORDER = Ordered.LOWEST_PRECEDENCE - 1;

    private final transient TransactionAttributeSource attributes = new AnnotationTransactionAttributeSource();
    private final transient Advice advice;

    private final transient Pointcut pointcut = new StaticMethodMatcherPointcut() {
        @Override
        public boolean matches(Method method, Class<?> type) {
            return attributes.hasTransactionAttribute(method, type);
        }
    };

    /** Runs methods again as these say. */
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

    /** Two of them are never the same: each has retries of its own. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
