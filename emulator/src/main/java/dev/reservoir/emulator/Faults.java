package dev.reservoir.emulator;

import java.time.Duration;

/**
 * Trouble on demand. Every fault holds until it is switched off or {@link #clear()} ends them all. No method blocks; a change
 * holds for connects and statements that begin after it.
 */
public interface Faults {

    /** Closes every new connection before a word is said. */
    void refuse(boolean on);

    /** Leaves every new connection without an answer, until the client gives up or a minute has passed. */
    void hangConnects(boolean on);

    /**
     * Answers every new connection only after this long; zero ends it.
     *
     * @throws IllegalArgumentException if the delay is negative
     */
    void delayConnects(Duration delay);

    /**
     * Carries out every statement but BEGIN only after this long; zero ends it.
     *
     * @throws IllegalArgumentException if the delay is negative
     */
    void slowStatements(Duration delay);

    /** Answers every statement but ROLLBACK with XX000, without carrying it out. */
    void unavailable(boolean on);

    /** Carries out every COMMIT, and answers it with XX000: to its client the commit is indeterminate. */
    void unavailableAfterCommit(boolean on);

    /** Takes no token for good. */
    void refuseTokens(boolean on);

    /**
     * Drops a share of the connections that are open now, chosen at random, without a word to their clients.
     *
     * @param share from 0 to 1
     * @return how many were dropped
     * @throws IllegalArgumentException if the share is not from 0 to 1
     */
    int dropShare(double share);

    /** Ends all of them. */
    void clear();
}
