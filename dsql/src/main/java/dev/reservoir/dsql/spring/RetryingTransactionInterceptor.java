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
 * Runs methods with {@code @Transactional} again when their transaction conflicts. It runs outside Spring's own
 * interceptor, so each attempt is a separate transaction. Never holds a connection between attempts.
 *
 * <p>It runs a method again only if the method begins a transaction. A method that joins a transaction passes the error
 * on to the method that began it. A method that needs no transaction is never run twice. The interceptor blocks for the
 * pauses.
 *
 * <p>It never runs a method again after its transaction was committed, whatever the method throws. The exception may be
 * one for which Spring does not roll back, or one that a synchronization throws after the commit. The interceptor
 * notices the second case only if the transaction manager has the {@link #commitListener}.
 *
 * <p>Spring does not report whether an error came from the commit. If the server is unavailable, the commit may have
 * succeeded. So the interceptor passes that error on, unless the transaction is read-only or the retries are
 * {@link Retries#idempotent}. It treats a lost connection in the same way, and also passes it on if the retries are set
 * {@linkplain Retries.Builder#retriesLostConnections not to retry lost connections}.
 *
 * <p>The interceptor asks Spring's thread state, not one transaction manager, whether a transaction is active. With
 * several managers, a method may begin a transaction of one manager inside a transaction of another. That method is run
 * again only together with the outer method.
 *
 * <p>When the retries are exhausted, it throws a {@link ConcurrencyFailureException} whose cause is the
 * {@link RetriesExhaustedException}.
 */
public final class RetryingTransactionInterceptor implements MethodInterceptor {
    private final Retries retries;
    private final TransactionAttributeSource attributes;

    /** Creates an interceptor that uses this policy and Spring's annotations. */
    public RetryingTransactionInterceptor(Retries retries) {
        this(retries, new AnnotationTransactionAttributeSource());
    }

    /** Creates an interceptor for transactions that are declared in another way. */
    public RetryingTransactionInterceptor(Retries retries, TransactionAttributeSource attributes) {
        this.retries = retries;
        this.attributes = attributes;
    }

    /**
     * Returns the listener that reports commits to all interceptors. Add it to each transaction manager, as
     * {@link RetryingTransactionConfiguration} does. Without it, a method runs again if a synchronization throws an
     * exception after the commit and the cause is a conflict. Does not block.
     */
    public static TransactionExecutionListener commitListener() {
        return CommitListener.INSTANCE;
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

    /** Whether a call of this method begins a transaction. */
    private static boolean begins(TransactionAttribute attribute) {
        return switch (attribute.getPropagationBehavior()) {
            case TransactionDefinition.PROPAGATION_REQUIRES_NEW -> true;
            case TransactionDefinition.PROPAGATION_REQUIRED, TransactionDefinition.PROPAGATION_NESTED ->
                !TransactionSynchronizationManager.isActualTransactionActive();
            default -> false;
        };
    }

    /** Runs the method once. An exception after the commit is a result: another run would apply changes twice. */
    private static Outcome attempt(MethodInvocation invocation, TransactionAttribute attribute) throws Exception {
        try (CommitListener.Observation observation = CommitListener.observe()) {
            try {
                return new Outcome(proceed(invocation), null);
            } catch (Exception e) {
                boolean committed = observation.isReported() ? observation.isCommitted() : !attribute.rollbackOn(e);
                if (committed) {
                    return new Outcome(null, e);
                }
                throw e;
            }
        }
    }

    /** The result of a committed transaction: the value that the method returned, or the exception that it threw. */
    private record Outcome(@Nullable Object value, @Nullable Exception error) {
        @Nullable
        Object get() throws Exception {
            if (error != null) {
                throw error;
            }
            return value;
        }
    }

    /** Runs the rest of the chain on a copy, because an invocation remembers its place and works only once. */
    private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
        if (!(invocation instanceof ProxyMethodInvocation proxied)) {
            throw new IllegalStateException(
                    "the call is not a ProxyMethodInvocation of Spring, so it cannot be repeated");
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
