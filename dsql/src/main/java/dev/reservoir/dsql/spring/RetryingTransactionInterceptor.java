package dev.reservoir.dsql.spring;

import dev.reservoir.dsql.InterruptedTransactionException;
import dev.reservoir.dsql.Retries;
import dev.reservoir.dsql.RetriesExhaustedException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Optional;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs methods with {@code @Transactional} again when their transaction conflicts. Stands outside Spring's own interceptor, so that each
 * attempt is a transaction of its own and holds no connection between attempts.
 *
 * <p>Only where a method begins a transaction is it run again: one that joins a transaction lets the error through to where that was begun, and
 * one that needs no transaction is never run twice. Blocks for pauses.
 *
 * <p>Spring does not say whether an error came from the commit. So a lost connection and an unavailable server, after which a commit may have been
 * done or not, are let through, unless the transaction is read-only or the retries are {@link Retries#idempotent}.
 *
 * <p>When the retries are exhausted, a {@link ConcurrencyFailureException} is thrown around the {@link RetriesExhaustedException}.
 */
public final class RetryingTransactionInterceptor implements MethodInterceptor {
    private final Retries retries;
    private final TransactionAttributeSource attributes;

    /** Runs methods again as these say, by Spring's annotations. */
    public RetryingTransactionInterceptor(Retries retries) {
        this(retries, new AnnotationTransactionAttributeSource());
    }

    /** The same, with transactions that are declared in another way. */
    public RetryingTransactionInterceptor(Retries retries, TransactionAttributeSource attributes) {
        this.retries = retries;
        this.attributes = attributes;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        TransactionAttribute attribute = attributes.getTransactionAttribute(invocation.getMethod(), type);
        if (attribute == null || !begins(attribute)) {
            return invocation.proceed();
        }
        String operation = type.getSimpleName() + "." + invocation.getMethod().getName();
        Retries policy = attribute.isReadOnly() ? retries.idempotent() : retries;
        try {
            return policy.call(operation, () -> Optional.ofNullable(proceed(invocation)))
                    .orElse(null);
        } catch (RetriesExhaustedException e) {
            throw new ConcurrencyFailureException(String.valueOf(e.getMessage()), e);
        } catch (InterruptedTransactionException e) {
            throw new TransientDataAccessResourceException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Whether this method's call is where a transaction begins. */
    private static boolean begins(TransactionAttribute attribute) {
        return switch (attribute.getPropagationBehavior()) {
            case TransactionDefinition.PROPAGATION_REQUIRES_NEW -> true;
            case TransactionDefinition.PROPAGATION_REQUIRED, TransactionDefinition.PROPAGATION_NESTED ->
                !TransactionSynchronizationManager.isActualTransactionActive();
            default -> false;
        };
    }

    /** Each attempt goes the rest of the way on its own: an invocation remembers how far it has come. */
    private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
        if (!(invocation instanceof ProxyMethodInvocation proxied)) {
            throw new IllegalStateException(
                    "the call is no ProxyMethodInvocation of Spring's, so it cannot be repeated");
        }
        try {
            return proxied.invocableClone().proceed();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
        }
    }
}
