package dev.reservoir.dsql.spring;

import dev.reservoir.dsql.tx.InterruptedTransactionException;
import dev.reservoir.dsql.tx.Retries;
import dev.reservoir.dsql.tx.RetriesExhaustedException;
import java.lang.reflect.UndeclaredThrowableException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
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
 * <p>A method whose transaction was committed is never run again, whatever it throws: an exception for which Spring does not roll back, or one of
 * a synchronization after the commit. Of the latter it only hears through {@link #commitListener}, which the transaction manager has to have.
 *
 * <p>Spring does not say whether an error came from the commit. So an unavailable server, after which a commit may have been done or not, is let
 * through, unless the transaction is read-only or the retries are {@link Retries#idempotent}. So is a lost connection, and also then if the retries
 * are told {@linkplain Retries.Builder#retriesLostConnections not to retry lost connections}.
 *
 * <p>Whether a transaction is joined is asked of the thread, as Spring keeps it, not of one transaction manager: with several of them, a method that
 * begins a transaction of one inside a transaction of another is not run again by itself, but with the outer one.
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

    /**
     * Tells all interceptors of commits; to be added to each transaction manager. {@link RetryingTransactionConfiguration} does so. Without it an
     * exception that a synchronization throws after the commit, with a conflict behind it, runs the method again.
     */
    public static TransactionExecutionListener commitListener() {
        return Commits.LISTENER;
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
            return policy.call(operation, () -> attempt(invocation, attribute)).get();
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

    /** Runs it once. What it throws after its commit is an outcome like any other: to run it again would do everything twice. */
    private static Outcome attempt(MethodInvocation invocation, TransactionAttribute attribute) throws Exception {
        try (Commits.Watch watch = Commits.watch()) {
            try {
                return new Outcome(proceed(invocation), null);
            } catch (Exception e) {
                boolean committed = watch.isTold() ? watch.isCommitted() : !attribute.rollbackOn(e);
                if (committed) {
                    return new Outcome(null, e);
                }
                throw e;
            }
        }
    }

    /** Of a transaction that was committed: what the method returned, or what it threw all the same. */
    private record Outcome(@Nullable Object value, @Nullable Exception error) {
        @Nullable
        Object get() throws Exception {
            if (error != null) {
                throw error;
            }
            return value;
        }
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
