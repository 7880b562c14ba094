package dev.reservoir.core.spi;

import java.util.concurrent.CompletionStage;

/** Rations new connections: one permit is the right to open one connection now. Never blocks. */
public interface Permits {

    /**
     * Asks for one permit. The stage completes when the permit may be used. To cancel, call {@code cancel} on its
     * {@link CompletionStage#toCompletableFuture()}; a permit that was granted at the same moment is then the
     * implementation's to take back.
     */
    CompletionStage<Permit> acquire(Urgency urgency);

    /** How many connections a second can be had in the long run; infinite if nothing limits them. A hint for planning. */
    double ratePerSecond();

    /** The limit in words, with its numbers, for error messages: {@code rate 100/s, burst 10, next permit in 1.8 s}. */
    String describe();

    /** Whether a reservoir is below its low watermark and should be served before others top up. */
    enum Urgency {
        NORMAL,
        URGENT
    }

    /** The right to open one connection now. */
    @FunctionalInterface
    interface Permit {
        /** Gives an unused permit back, if it can still be of use to anyone. Called at most once, and never after a connect. */
        void giveBack();

        /** The server has answered the connect that this permit was used for, or will not. Called once, instead of the other. */
        default void answered() {}
    }
}
