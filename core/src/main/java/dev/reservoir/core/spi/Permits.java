package dev.reservoir.core.spi;

import java.util.concurrent.CompletionStage;

/** Rations new connections: one permit is the right to open one connection now. Never blocks. */
public interface Permits {

    /**
     * Requests one permit. The stage completes when the permit may be used. To cancel, call {@code cancel} on its
     * {@link CompletionStage#toCompletableFuture()}. If the permit was granted at the same moment, the implementation
     * must take it back.
     */
    CompletionStage<Permit> acquire(Urgency urgency);

    /**
     * How many connections per second are available in the long run; infinite if nothing limits them. A hint for
     * planning.
     */
    double ratePerSecond();

    /** The limit in words, with its numbers, for error messages: {@code rate 100/s, burst 10, next permit in 1.8 s}. */
    String describe();

    /**
     * How urgent a request is. A reservoir below its low watermark requests urgently and is served before reservoirs
     * that only top up.
     */
    enum Urgency {
        NORMAL,
        URGENT
    }

    /** The right to open one connection now. */
    @FunctionalInterface
    interface Permit {
        /** Gives back an unused permit, if anyone can still use it. Called at most once, and never after a connect. */
        void giveBack();

        /**
         * The server has answered the connect that used this permit, or will never answer it. Called once, and only if
         * the permit is not given back.
         */
        default void answered() {}
    }
}
