package dev.reservoir.emulator.internal.conflict;

import java.util.HashSet;
import java.util.Set;

/** An open transaction, as its possible rivals see it. {@link Conflicts} guards its package-private fields. */
public final class Contender {
    enum State {
        OPEN,
        COMMITTED,
        ENDED
    }

    /** When it began to write, by {@link System#nanoTime()}. */
    public final long sinceNanos = System.nanoTime();

    State state = State.OPEN;
    final Set<Contender> rivals = new HashSet<>();
    private volatile boolean doomed;
    private volatile boolean unique;

    /**
     * Whether it can no longer commit, because another transaction has changed the same rows and committed first. Any
     * thread may call it.
     */
    public boolean isDoomed() {
        return doomed;
    }

    public void doom() {
        doomed = true;
    }

    /**
     * Whether its client has seen rows that it created, such as keys, which may differ if it runs again. Any thread may
     * call it.
     */
    public boolean isUnique() {
        return unique;
    }

    public void handedOutRows() {
        unique = true;
    }
}
