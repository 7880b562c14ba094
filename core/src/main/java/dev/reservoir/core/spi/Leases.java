package dev.reservoir.core.spi;

import java.util.concurrent.CompletionStage;

/** Rations open connections: one lease is the right to hold one connection open. Never blocks. */
public interface Leases {

    /** Asks for one lease. Fails if there is none to be had now; the engine backs off and asks again. */
    CompletionStage<Lease> acquire();

    /**
     * Gives a lease back. The engine calls this again, a bounded number of times, if the stage fails, so the same lease given
     * back twice must count once.
     */
    CompletionStage<Void> release(Lease lease);

    /** The limit in words, with its numbers, for error messages. */
    String describe();

    /**
     * Told once by every reservoir that takes leases here, before it asks for the first: whom to ask for leases back. A source
     * that never does can leave this as it is. Must not block.
     */
    default void attach(Holder holder) {}

    /**
     * Told once when that reservoir has closed. It asks for no lease any more and has given back what it held; a lease that it
     * asked for before, and that comes only now, is given back then. Must not block.
     */
    default void detach(Holder holder) {}

    /** The right to hold one connection open. */
    @FunctionalInterface
    interface Lease {
        /** Names the lease in logs and books. Never empty. */
        String id();
    }

    /** A reservoir that holds leases, seen from their source. */
    @FunctionalInterface
    interface Holder {
        /**
         * Asks for so many leases back, and answers how many more will come for that: as many as were asked for, or all that are
         * held and were not asked back before. 0 if none are asked for, and 0 once the holder is closing, when all of them come
         * by themselves. Takes no lock and does not block; may be called from any thread, also from within a call of this
         * source or on a thread that completes one of its stages.
         *
         * <p>Attempts that wait for a permit are given up first. Then ready connections are closed, those with the least time left
         * before others. If that is not enough, what becomes ready next is closed, and connections on loan when they come back,
         * whichever comes first; none is taken from its borrower. Leases go back through {@link Leases#release} as ever, and each
         * that goes back for another reason meanwhile counts as well.
         *
         * <p>A reservoir that then lacks connections asks for leases again, after a pause as after a refusal. A source that means to
         * keep what it called back refuses them until it has some to spare; those that it grants while others are still to come
         * are the first to go back.
         */
        int recall(int leases);
    }
}
