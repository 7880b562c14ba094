package dev.reservoir.jdbc;

import java.util.List;
import java.util.Map;

/**
 * What JMX shows of a data source, as {@code dev.reservoir:type=ReservoirDataSource,name=...}. Every number is of the moment in
 * which it is read. No method blocks.
 */
public interface ReservoirDataSourceMXBean {
    /** The data source's name. */
    String getName();

    /** The most connections held at once. */
    int getMaxOpen();

    /** Changes it; takes effect soon. */
    void setMaxOpen(int value);

    /** How many connections should stand ready. */
    int getTargetReady();

    /** Changes it; takes effect soon. */
    void setTargetReady(int value);

    /** Below so many ready or lent, refilling comes before all else. */
    int getLowWatermark();

    /** Changes it; takes effect soon. */
    void setLowWatermark(int value);

    /** What the idle time-out leaves open. */
    int getMinOpen();

    /** Changes it; takes effect soon. */
    void setMinOpen(int value);

    /** How long a checkout may wait for a connection, such as {@code 30s}. */
    String getAcquireTimeout();

    /** Changes it, for checkouts that begin from then on. */
    void setAcquireTimeout(String value);

    /** After which a connect is given up. */
    String getConnectTimeout();

    /** Changes it; takes effect soon. */
    void setConnectTimeout(String value);

    /** How long a validation may take. */
    String getValidationTimeout();

    /** Changes it; takes effect soon. */
    void setValidationTimeout(String value);

    /** How long a connection beyond what is wanted may stand unused; 0 for ever. */
    String getIdleTimeout();

    /** Changes it; takes effect soon. */
    void setIdleTimeout(String value);

    /** How long a ready connection goes without validation; 0 for ever. */
    String getKeepalive();

    /** Changes it; takes effect soon. */
    void setKeepalive(String value);

    /** The lifetime of a connection, before jitter. */
    String getBaseLifetime();

    /** Changes it; takes effect soon. */
    void setBaseLifetime(String value);

    /** Lifetimes are spread evenly over the base plus or minus half of this. */
    String getLifetimeJitter();

    /** Changes it; takes effect soon. */
    void setLifetimeJitter(String value);

    /** The last stretch of a lifetime, in which a connection is not handed out. */
    String getGuardWindow();

    /** Changes it; takes effect soon. */
    void setGuardWindow(String value);

    /** All connections, temporary ones not counted. */
    int getOpen();

    /** Connections that can be lent. */
    int getReady();

    /** Connections on loan. */
    int getInUse();

    /** Connections that are being proven alive. */
    int getValidating();

    /** Temporary connections beyond the maximum. */
    int getOverflow();

    /** Connects under way, including those that wait for a lease or a permit. */
    int getOpening();

    /** Connections that are being closed. */
    int getClosing();

    /** Checkouts in the queue. */
    int getWaiting();

    /** Whether it lends nothing and opens nothing, by request. */
    boolean isPaused();

    /** How many checkouts got a connection. */
    long getCheckouts();

    /** How many checkouts found none ready. */
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

    /** 99 of 100 checkouts that had to wait waited no longer than this. */
    long getWaitP99Nanos();

    /** 99 of 100 loans lasted no longer than this. */
    long getUseP99Nanos();

    /** 99 of 100 connects took no longer than this. */
    long getOpenP99Nanos();

    /** Stops lending and opening; checkouts wait. */
    void pause();

    /** Goes on after {@code pause}. */
    void resume();

    /** Retires every connection that is open now: ready ones at once, lent ones on return. */
    void flush();

    /** Changes the password, for connections that are opened from then on. It is shown nowhere. */
    void changePassword(String password);

    /** Changes user and password together, for connections that are opened from then on. */
    void changeLogin(String username, String password);

    /** Who has held a connection for at least so long, such as {@code 30s}, the longest first. */
    List<String> checkouts(String atLeast);
}
