package dev.reservoir.remote.adapter;

/**
 * Is told what the sessions of a server do, for statistics. Any thread may call it. Must not block and must not throw.
 */
public interface SessionObserver {
    /** Ignores everything. */
    SessionObserver NONE = new SessionObserver() {};

    /** A statement ended, with or without success. */
    default void executed(long nanos) {}

    /** Bytes were written to the network. */
    default void sent(long bytes) {}

    /** Bytes were read from the network. */
    default void received(long bytes) {}

    /** A connection was opened whose bytes are counted. */
    default void openedCounted() {}

    /** A connection was opened whose bytes cannot be counted, because its driver offers no way. */
    default void openedUncounted() {}
}
