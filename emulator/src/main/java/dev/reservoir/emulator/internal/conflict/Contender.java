package dev.reservoir.emulator.internal.conflict;

import java.util.HashSet;
import java.util.Set;

/** One open transaction among those that may conflict with it. Its fields belong to {@link Conflicts}, which guards them. */
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

    /** It cannot be committed any more: another has changed what it has changed or locked, and was first. For any thread. */
    public boolean isDoomed() {
        return doomed;
    }

    public void doom() {
        doomed = true;
    }

    /** Its client has seen rows that it made, such as keys: they may come out differently if they are made again. For any thread. */
    public boolean isUnique() {
        return unique;
    }

    public void handedOutRows() {
        unique = true;
    }
}
