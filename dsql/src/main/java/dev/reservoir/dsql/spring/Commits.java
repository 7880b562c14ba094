package dev.reservoir.dsql.spring;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Hears from the transaction managers which transactions were committed, for the attempts that run on this thread. An exception may come out of a
 * method after its commit, and by itself does not tell. Keeps nothing of threads that run no attempt. Never blocks.
 */
final class Commits implements TransactionExecutionListener {
    static final Commits LISTENER = new Commits();

    /** The attempts under way on this thread, the innermost first. */
    private static final ThreadLocal<Deque<Watch>> RUNNING = ThreadLocal.withInitial(ArrayDeque::new);

    private Commits() {}

    /** Watches the next transaction that this thread begins. To be closed on the same thread. */
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

    /** One attempt. Used by one thread. */
    static final class Watch implements AutoCloseable {
        private @Nullable TransactionExecution transaction;
        private boolean committed;

        private Watch() {}

        /** Whether its transaction manager tells: one that was not given the listener does not. */
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
