package dev.reservoir.dsql.spring;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Records which transactions a transaction manager has committed, for the attempts that run on the current thread. A
 * method may throw an exception after its commit, and the exception alone does not show that. Keeps nothing for
 * threads that run no attempt. Never blocks.
 */
final class Commits implements TransactionExecutionListener {
    static final Commits LISTENER = new Commits();

    /** The running attempts of this thread, the innermost first. */
    private static final ThreadLocal<Deque<Watch>> RUNNING = ThreadLocal.withInitial(ArrayDeque::new);

    private Commits() {}

    /** Observes the next transaction that this thread begins. The same thread must close the result. */
    static Watch watch() {
        Watch watch = new Watch();
        RUNNING.get().push(watch);
        return watch;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        Watch innermost = RUNNING.get().peek();
        if (innermost == null) {
            RUNNING.remove();
        } else if (failure == null && innermost.transaction == null && transaction.isNewTransaction()) {
            innermost.transaction = transaction;
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        Deque<Watch> running = RUNNING.get();
        if (running.isEmpty()) {
            RUNNING.remove();
        } else if (failure == null) {
            running.stream().filter(watch -> watch.transaction == transaction).forEach(watch -> watch.committed = true);
        }
    }

    /** Observes one attempt. Used by one thread. */
    static final class Watch implements AutoCloseable {
        private @Nullable TransactionExecution transaction;
        private boolean committed;

        private Watch() {}

        /** Whether the transaction manager reports to the listener. A manager without the listener does not. */
        boolean isTold() {
            return transaction != null;
        }

        boolean isCommitted() {
            return committed;
        }

        @Override
        public void close() {
            Deque<Watch> running = RUNNING.get();
            running.pop();
            if (running.isEmpty()) {
                RUNNING.remove();
            }
        }
    }
}
