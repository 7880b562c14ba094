package dev.reservoir.jdbc;

import java.util.List;
import java.util.Map;

/**
 * A data source as JMX shows it, under {@code dev.reservoir:type=ReservoirDataSource,name=...}. Every number is the
 * value at the moment of the read. No method blocks.
 */
public interface ReservoirDataSourceMXBean extends LiveSettings {
    /** The name of the data source. */
    String getName();

    /** How many connections are open, without temporary ones. */
    int getOpen();

    /** How many connections can be handed out. */
    int getReady();

    /** How many connections are in use. */
    int getInUse();

    /** How many connections are being validated. */
    int getValidating();

    /** How many temporary connections exist beyond the maximum. */
    int getOverflow();

    /** How many connects are in progress, including those that wait for a lease or a permit. */
    int getOpening();

    /** How many connections are being closed. */
    int getClosing();

    /** How many checkouts wait in the queue. */
    int getWaiting();

    /** Whether the data source is paused. While it is, it hands out no connection and opens none. */
    boolean isPaused();

    /** How many checkouts got a connection. */
    long getCheckouts();

    /** How many checkouts found no connection ready. */
    long getEmpties();

    /** How many checkouts ended without a connection. */
    long getTimeouts();

    /** How many connections were opened. */
    long getOpened();

    /** How many connections were closed. */
    long getClosed();

    /** How many connections were discarded, by reason. */
    Map<String, Long> getDiscards();

    /** How many connects failed, by reason. */
    Map<String, Long> getOpenFailures();

    /** The 99th percentile of the wait, over checkouts that had to wait. */
    long getWaitP99Nanos();

    /** The 99th percentile of the time in use. */
    long getUseP99Nanos();

    /** The 99th percentile of the time that a connect took. */
    long getOpenP99Nanos();

    /** Stops handing out and opening connections. Checkouts wait. */
    void pause();

    /** Ends a {@code pause}. */
    void resume();

    /** Retires every connection that is open now: ready ones at once, those in use on release. */
    void flush();

    /** Changes the password, for connections opened after the change. The password is shown nowhere. */
    void changePassword(String password);

    /** Changes user and password together, for connections opened after the change. */
    void changeLogin(String username, String password);

    /** Lists the callers that have held a connection for at least this long, such as {@code 30s}, the longest first. */
    List<String> checkouts(String atLeast);
}
