package dev.reservoir.jdbc;

import java.util.List;
import java.util.Map;

/**
 * A data source as JMX shows it, under {@code dev.reservoir:type=ReservoirDataSource,name=...}. Every number is the
 * value at the moment of the read. No method blocks.
 */
public interface ReservoirDataSourceMXBean {
    /** The name of the data source. */
    String getName();

    /** The maximum number of connections held at once. */
    int getMaxOpen();

    /** Changes {@code maxOpen}. Takes effect soon. */
    void setMaxOpen(int value);

    /** How many connections to keep ready. */
    int getTargetReady();

    /** Changes {@code targetReady}. Takes effect soon. */
    void setTargetReady(int value);

    /** The number of ready and in-use connections below which refilling takes priority. */
    int getLowWatermark();

    /** Changes {@code lowWatermark}. Takes effect soon. */
    void setLowWatermark(int value);

    /** How many connections the idle timeout leaves open. */
    int getMinOpen();

    /** Changes {@code minOpen}. Takes effect soon. */
    void setMinOpen(int value);

    /** How long a checkout may wait for a connection, such as {@code 30s}. */
    String getAcquireTimeout();

    /** Changes {@code acquireTimeout}, for checkouts that begin after the change. */
    void setAcquireTimeout(String value);

    /** The time after which a connect is abandoned. */
    String getConnectTimeout();

    /** Changes {@code connectTimeout}. Takes effect soon. */
    void setConnectTimeout(String value);

    /** How long a validation may take. */
    String getValidationTimeout();

    /** Changes {@code validationTimeout}. Takes effect soon. */
    void setValidationTimeout(String value);

    /** How long a connection beyond {@code targetReady} and {@code minOpen} may stay unused. 0 means without limit. */
    String getIdleTimeout();

    /** Changes {@code idleTimeout}. Takes effect soon. */
    void setIdleTimeout(String value);

    /** How long a ready connection may go without validation. 0 means without limit. */
    String getKeepalive();

    /** Changes {@code keepalive}. Takes effect soon. */
    void setKeepalive(String value);

    /** The lifetime of a connection, before jitter. */
    String getBaseLifetime();

    /** Changes {@code baseLifetime}. Takes effect soon. */
    void setBaseLifetime(String value);

    /** The jitter. Lifetimes are spread evenly over the base lifetime plus or minus half of it. */
    String getLifetimeJitter();

    /** Changes {@code lifetimeJitter}. Takes effect soon. */
    void setLifetimeJitter(String value);

    /** The last part of a lifetime, in which a connection is not handed out. */
    String getGuardWindow();

    /** Changes {@code guardWindow}. Takes effect soon. */
    void setGuardWindow(String value);

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
