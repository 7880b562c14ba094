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

    /** The right to hold one connection open. */
    @FunctionalInterface
    interface Lease {
        /** Names the lease in logs and books. Never empty. */
        String id();
    }
}
