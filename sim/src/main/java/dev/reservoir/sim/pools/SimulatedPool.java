package dev.reservoir.sim.pools;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A pool as a process of the fleet sees it. Runs single-threaded on virtual time. No method blocks. */
public interface SimulatedPool {
    /** Longest time that a pool waits for connections in use when it closes. The same for all pools. */
    Duration DRAIN = Duration.ofSeconds(10);

    /** Acquires a ready connection; null if there is none. Does not wait. */
    @Nullable
    Link tryTake();

    /**
     * Acquires a ready connection, or joins the wait queue. Does not block.
     *
     * @param then receives the connection; null if there was none within the timeout
     */
    void take(long timeoutNanos, Consumer<@Nullable Link> then);

    /** Releases a connection that works. */
    void giveBack(Link link);

    /** Releases a connection that the caller found broken. */
    void giveBackBroken(Link link);

    /** Runs an action once, as soon as this many connections are ready or in use. */
    void whenHolding(int count, Runnable then);

    /** The number of connections in each state now. */
    State state();

    /**
     * Closes all connections that are not in use now, and the others when they are released or when the drain time is
     * over. Does not block.
     */
    void close(Runnable whenClosed);

    /**
     * The number of connections in each state.
     *
     * @param ready connections that can be handed out
     * @param inUse connections in use
     * @param validating connections that are being validated
     * @param opening connections that are being opened or wait for permission to open
     * @param closing connections that are being closed
     * @param waiting checkouts in the wait queue
     */
    record State(int ready, int inUse, int validating, int opening, int closing, int waiting) {
        /** The state of a pool that does not exist. */
        public static final State NONE = new State(0, 0, 0, 0, 0, 0);

        /** The sum of the states of two pools. */
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
