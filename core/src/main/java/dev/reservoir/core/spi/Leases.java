package dev.reservoir.core.spi;

import java.util.concurrent.CompletionStage;

/** Rations open connections: one lease is the right to hold one connection open. Never blocks. */
public interface Leases {

    /** Requests one lease. Fails if none is available now; the engine then backs off and requests again. */
    CompletionStage<Lease> acquire();

    /**
     * Releases a lease. If the stage fails, the engine calls this again, a bounded number of times. A lease that is
     * released twice must count once.
     */
    CompletionStage<Void> release(Lease lease);

    /** The limit in words, with its numbers, for error messages. */
    String describe();

    /**
     * Registers a reservoir from which this source can recall leases. Every reservoir calls this once, before it
     * requests its first lease. A source that never recalls leases can keep the default. Must not block.
     */
    default void attach(Holder holder) {}

    /**
     * Reports that the reservoir has closed. Each reservoir calls this once. It requests no more leases and has
     * released those that it held. A lease that it requested before, and that arrives only now, is released on arrival.
     * Must not block.
     */
    default void detach(Holder holder) {}

    /**
     * Whether this source keeps a request until it has a lease to spare, and so needs no pause between requests. After
     * a recall, a reservoir then requests leases again at once. Otherwise it pauses as after a refusal.
     */
    default boolean queuesRequests() {
        return false;
    }

    /** The right to hold one connection open. */
    @FunctionalInterface
    interface Lease {
        /** Identifies the lease in logs and in the counts of the source. Never empty. */
        String id();
    }

    /** A reservoir that holds leases, as their source sees it. */
    @FunctionalInterface
    interface Holder {
        /**
         * Recalls this many leases. Returns how many more the holder will release for this call: the number requested,
         * or all leases that it holds and that no earlier call recalled, whichever is less. Returns 0 if the number is
         * 0. Also returns 0 once the holder is closing, because it then releases all leases by itself. Takes no lock
         * and does not block. Any thread may call it, also from within a call of this source or on a thread that
         * completes one of its stages.
         *
         * <p>The holder first gives up attempts that wait for a permit. Then it closes ready connections, those with
         * the least time left first. If that is not enough, it closes the connections that become ready next and those
         * in use when they are released, whichever comes first. It takes no connection away from its caller. It
         * releases the leases through {@link Leases#release} as always. A lease that it releases meanwhile for another
         * reason counts as well.
         *
         * <p>A reservoir that then lacks connections requests leases again, after a pause like the one after a refusal,
         * or without a pause from a source that {@linkplain Leases#queuesRequests queues requests}. A source that wants
         * to keep the recalled leases refuses these requests until it has leases to spare. If it grants some while
         * others are still due, the holder releases the new ones first.
         */
        int recall(int leases);
    }
}
