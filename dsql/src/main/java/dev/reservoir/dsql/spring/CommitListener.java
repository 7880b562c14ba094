package dev.reservoir.dsql.spring;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Records which transactions a transaction manager has committed, for the attempts that run on the current thread. A
 * method may throw an exception after its commit, and the exception alone does not show that. Keeps nothing for threads
 * that run no attempt. Never blocks.
 */
final class CommitListener implements TransactionExecutionListener {
    static final CommitListener INSTANCE = new CommitListener();

    /** The running attempts of this thread, the innermost first. */
    private static final ThreadLocal<Deque<Observation>> RUNNING = ThreadLocal.withInitial(ArrayDeque::new);

    private CommitListener() {}

    /** Observes the next transaction that this thread begins. The same thread must close the result. */
    static Observation observe() {
        Observation observation = new Observation();
        RUNNING.get().push(observation);
        return observation;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        Observation innermost = RUNNING.get().peek();
        if (innermost == null) {
            RUNNING.remove();
        } else if (failure == null && innermost.transaction == null && transaction.isNewTransaction()) {
            innermost.transaction = transaction;
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        Deque<Observation> running = RUNNING.get();
        if (running.isEmpty()) {
            RUNNING.remove();
        } else if (failure == null) {
            running.stream()
                    .filter(observed -> observed.transaction == transaction)
                    .forEach(observed -> observed.committed = true);
        }
    }

    /** Observes one attempt. Used by one thread. */
    static final class Observation implements AutoCloseable {
        private @Nullable TransactionExecution transaction;
        private boolean committed;

        private Observation() {}

        /** Whether the transaction manager reports to the listener. A manager without the listener does not. */
        boolean isReported() {
            return transaction != null;
        }

        boolean isCommitted() {
            return committed;
        }

        @Override
        public void close() {
            Deque<Observation> running = RUNNING.get();
            running.pop();
            if (running.isEmpty()) {
                RUNNING.remove();
            }
        }
    }
}
