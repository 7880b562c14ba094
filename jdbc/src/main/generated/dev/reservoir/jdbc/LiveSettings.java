// Generated from DataSourceSettings by GeneratedSettingsTest, which says how to do so again. Not to be edited.
package dev.reservoir.jdbc;

/** The settings that JMX can change while the data source runs. Durations are text. No method blocks. */
public interface LiveSettings {
    /** Returns the most connections held at once, in use or not. */
    int getMaxOpen();

    /** Changes {@code maxOpen}. Takes effect soon. */
    void setMaxOpen(int value);

    /**
     * Returns how many connections are ready beside those in use, as far as {@code maxOpen} goes. A value below
     * {@code lowWatermark} is raised to it, with a warning.
     */
    int getTargetReady();

    /** Changes {@code targetReady}. Takes effect soon. */
    void setTargetReady(int value);

    /**
     * Returns the number of connections, ready or in use, below which requests for permits are urgent. The start waits
     * for this many.
     */
    int getLowWatermark();

    /** Changes {@code lowWatermark}. Takes effect soon. */
    void setLowWatermark(int value);

    /**
     * Returns how many connections are opened and kept, however many are in use. {@code idleTimeout} does not apply to
     * them.
     */
    int getMinOpen();

    /** Changes {@code minOpen}. Takes effect soon. */
    void setMinOpen(int value);

    /** Returns how long a connection beyond {@code targetReady} and {@code minOpen} may be unused. */
    String getIdleTimeout();

    /** Changes {@code idleTimeout}. Takes effect soon. */
    void setIdleTimeout(String value);

    /**
     * Returns the lifetime of a connection, before jitter. A value of 0 or less is replaced by the default, with a
     * warning.
     */
    String getBaseLifetime();

    /** Changes {@code baseLifetime}. Takes effect soon. */
    void setBaseLifetime(String value);

    /**
     * Returns the jitter. Each lifetime is drawn at birth, evenly, from the base plus or minus half of it. A negative
     * value counts as 0, with a warning.
     */
    String getLifetimeJitter();

    /** Changes {@code lifetimeJitter}. Takes effect soon. */
    void setLifetimeJitter(String value);

    /**
     * Returns the last part of a lifetime, in which a connection is not handed out any more. A negative value counts as
     * 0, with a warning.
     */
    String getGuardWindow();

    /** Changes {@code guardWindow}. Takes effect soon. */
    void setGuardWindow(String value);

    /**
     * Returns how long a connect may take before it is given up. Known drivers are told not to wait longer, unless
     * their own timeouts are set.
     */
    String getConnectTimeout();

    /** Changes {@code connectTimeout}. Takes effect soon. */
    void setConnectTimeout(String value);

    /** Returns how long {@code getConnection} may wait. With 0 it never waits for a connection. */
    String getAcquireTimeout();

    /** Changes {@code acquireTimeout}. Takes effect soon. */
    void setAcquireTimeout(String value);

    /**
     * Returns how long a ready connection may be neither used nor validated before it is validated in the background. 0
     * switches that off. One connection a second is validated in any case.
     */
    String getKeepalive();

    /** Changes {@code keepalive}. Takes effect soon. */
    void setKeepalive(String value);

    /** Returns how long a validation may take. */
    String getValidationTimeout();

    /** Changes {@code validationTimeout}. Takes effect soon. */
    void setValidationTimeout(String value);
}
