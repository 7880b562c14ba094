package dev.reservoir.emulator;

import java.time.Duration;

/**
 * Faults that a test can switch on. A fault stays on until it is switched off or {@link #clear()} ends all of them. No
 * method blocks. A change applies to connects and statements that begin after it.
 */
public interface Faults {

    /** Closes every new connection before the emulator sends a byte. */
    void refuse(boolean on);

    /** Leaves every new connection without an answer, until the client gives up or a minute has passed. */
    void hangConnects(boolean on);

    /**
     * Delays the answer to every new connection by this time; zero ends it.
     *
     * @throws IllegalArgumentException if the delay is negative
     */
    void delayConnects(Duration delay);

    /**
     * Delays every statement except BEGIN by this time; zero ends it.
     *
     * @throws IllegalArgumentException if the delay is negative
     */
    void slowStatements(Duration delay);

    /** Answers every statement except ROLLBACK with XX000 and does not run it. */
    void unavailable(boolean on);

    /** Runs every COMMIT and answers it with XX000. The client cannot know whether the commit took effect. */
    void unavailableAfterCommit(boolean on);

    /** Refuses every token. */
    void refuseTokens(boolean on);

    /**
     * Drops a share of the connections that are open now, chosen at random. Their clients get no message.
     *
     * @param share from 0 to 1
     * @return the number of dropped connections
     * @throws IllegalArgumentException if the share is not from 0 to 1
     */
    int dropShare(double share);

    /** Switches every fault off. */
    void clear();
}
