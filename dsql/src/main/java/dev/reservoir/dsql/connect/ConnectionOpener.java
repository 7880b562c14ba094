package dev.reservoir.dsql.connect;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Opens connections of the PostgreSQL driver outside a reservoir. It waits for a permit, takes the token and connects,
 * and blocks meanwhile. After the server has reported a limit, it waits a little longer. Never keeps a connection.
 */
public final class ConnectionOpener {
    /** Longest time for one connect, and for the token before it. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** Longest wait for a permit. It equals the default timeout of a checkout. */
    static final Duration PERMIT_TIMEOUT = Duration.ofSeconds(30);

    private final ClusterLogin cluster;
    private final Credentials tokens;
    private final Permits permits;
    private final Driver driver;
    private final ConnectCounts connects;
    private final Properties properties;
    private final boolean boundsReads;
    private final Duration permitTimeout;

    public ConnectionOpener(ClusterLogin cluster, Credentials tokens, Permits permits, Driver driver) {
        this(cluster, tokens, permits, driver, new ConnectCounts(new SplittableRandom()), PERMIT_TIMEOUT);
    }

    ConnectionOpener(
            ClusterLogin cluster,
            Credentials tokens,
            Permits permits,
            Driver driver,
            ConnectCounts connects,
            Duration permitTimeout) {
        this.connects = connects;
        this.permitTimeout = permitTimeout;
        this.cluster = cluster;
        this.tokens = tokens;
        this.permits = permits;
        this.driver = driver;
        properties = cluster.properties();
        String seconds = Long.toString(CONNECT_TIMEOUT.toSeconds());
        properties.putIfAbsent("connectTimeout", seconds);
        // Bounds reads only during the connect. Afterwards a statement may take any time.
        boundsReads = properties.putIfAbsent("socketTimeout", seconds) == null;
    }

    /** Opens a connection. Blocks for a permit, the token and the connect. */
    public Connection open() throws SQLException {
        try {
            long pause = connects.pauseNanos(System.nanoTime());
            if (pause > 0) {
                TimeUnit.NANOSECONDS.sleep(pause);
            }
            Permit permit = permit();
            boolean used = false;
            try {
                Credential credential = credential();
                used = true;
                return connect(credential);
            } finally {
                if (used) {
                    permit.answered();
                } else {
                    permit.giveBack();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException(
                    "interrupted while waiting to connect to "
                            + cluster.endpoint().host(),
                    "08001",
                    e);
        }
    }

    private Permit permit() throws SQLException, InterruptedException {
        CompletableFuture<Permit> asked = permits.acquire(Urgency.NORMAL).toCompletableFuture();
        Throwable cause;
        boolean granted = false;
        try {
            Permit permit = asked.get(permitTimeout.toNanos(), TimeUnit.NANOSECONDS);
            granted = true;
            return permit;
        } catch (ExecutionException e) {
            cause = e.getCause() == null ? e : e.getCause();
        } catch (TimeoutException e) {
            cause = e;
        } finally {
            // The permit may have been granted just after the wait ended.
            if (!granted && !asked.cancel(false) && !asked.isCompletedExceptionally()) {
                asked.join().giveBack();
            }
        }
        connects.failed(OpenFailureReason.RATE_LIMIT, System.nanoTime());
        throw new SQLTransientConnectionException(
                "connection rate limit exceeded: no permit within " + Text.nanos(permitTimeout.toNanos()) + " ("
                        + permits.describe() + ")",
                "08001",
                cause);
    }

    private Credential credential() throws SQLException, InterruptedException {
        Throwable cause;
        try {
            return tokens.current().toCompletableFuture().get(CONNECT_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            cause = e.getCause() == null ? e : e.getCause();
        } catch (TimeoutException e) {
            cause = new TimeoutException("no AWS credentials within " + Text.nanos(CONNECT_TIMEOUT.toNanos()));
        } catch (RuntimeException e) {
            cause = e;
        }
        connects.failed(OpenFailureReason.TOKEN_PROVIDER, System.nanoTime());
        throw new SQLTransientConnectionException("token provider failed: " + cause.getMessage(), "08001", cause);
    }

    private Connection connect(Credential credential) throws SQLException {
        Properties login = new Properties();
        login.putAll(properties);
        login.setProperty("user", cluster.user());
        if (credential.secret() != null) {
            login.setProperty("password", credential.secret());
        }
        try {
            Connection connection = driver.connect(cluster.url(), login);
            if (connection == null) {
                throw new SQLException(driver.getClass().getName() + " does not accept " + cluster.url(), "08001");
            }
            if (boundsReads) {
                liftReadTimeout(connection);
            }
            connects.opened();
            return FixedIsolation.of(connection);
        } catch (SQLException e) {
            OpenFailureReason reason = ConnectCounts.reason(e);
            connects.failed(reason, System.nanoTime());
            if (reason == OpenFailureReason.AUTHENTICATION) {
                tokens.refused(credential);
            }
            throw e;
        }
    }

    private static void liftReadTimeout(Connection connection) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, 0);
        } catch (SQLException e) {
            try {
                connection.close();
            } catch (SQLException failedClose) {
                e.addSuppressed(failedClose);
            }
            throw e;
        }
    }

    public Map<String, Double> metrics() {
        return connects.metrics();
    }

    @Override
    public String toString() {
        return cluster.user() + " at " + cluster.endpoint().host();
    }
}
