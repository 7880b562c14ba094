package dev.reservoir.sim.pools;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A pool as a process of the fleet sees it. Single-threaded, on virtual time; nothing blocks. */
public interface SimulatedPool {

    /** Takes a ready connection, or null if there is none. */
    @Nullable
    Link tryTake();

    /**
     * Takes a connection that is ready, or waits for one.
     *
     * @param then hears of the connection; of null if there was none within the time-out
     */
    void take(long timeoutNanos, Consumer<@Nullable Link> then);

    /** Gives back a connection that works. */
    void giveBack(Link link);

    /** Gives back a connection that was found broken. */
    void giveBackBroken(Link link);

    /** Runs something once, as soon as so many connections are ready or lent. */
    void whenHolding(int count, Runnable then);

    /** How many connections are in which state now. */
    State state();

    /** Closes everything that is not on loan now, the rest as it comes back. */
    void close(Runnable whenClosed);

    /**
     * How many connections are in which state.
     *
     * @param ready can be lent
     * @param inUse on loan
     * @param validating being proven
     * @param opening being opened, or waiting for the right to be
     * @param closing being closed
     * @param waiting checkouts that wait
     */
    record State(int ready, int inUse, int validating, int opening, int closing, int waiting) {
        /** A pool that is not there. */
        public static final State NONE = new State(0, 0, 0, 0, 0, 0);

        /** Of two pools together. */
        public State plus(State other) {
            return new State(
                    ready + other.ready,
                    inUse + other.inUse,
                    validating + other.validating,
                    opening + other.opening,
                    closing + other.closing,
                    waiting + other.waiting);
        }
    }
}
