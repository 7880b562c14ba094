package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.Stats;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/** Helpers for tests of a whole data source. */
final class Pools {
    /** Bounds how long anything may take before a test fails. It is much more than anything takes on a slow machine. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * Bounds how long trouble may go unnoticed. The promise is two seconds: one validation per second, and one second
     * for its answer. The rest is for a busy machine with two processors that runs other tests at the same time.
     */
    static final Duration NOTICED = Duration.ofSeconds(5);

    /**
     * Bounds how long until callers are served again. The promise is five seconds, or ten if all connections are in
     * use. A pool that waits for a timeout of TCP or the driver takes 20 seconds or more.
     */
    static final Duration SERVED_AGAIN = Duration.ofSeconds(10);

    private Pools() {}

    /**
     * A reservoir whose name is the application name of its sessions, and whose timeouts are as long as the tests wait.
     */
    static ReservoirDataSourceBuilder named(String name, String url) {
        return patient(name).url(url).driverProperty("ApplicationName", name);
    }

    /** Does the same for a data source that must set the application name of its sessions itself. */
    static ReservoirDataSourceBuilder named(String name, DataSource source) {
        return patient(name).dataSource(source);
    }

    private static ReservoirDataSourceBuilder patient(String name) {
        return ReservoirDataSource.builder().name(name).acquireTimeout(PATIENCE).initialFillTimeout(PATIENCE);
    }

    /** Blocks until this many connections are ready and nothing else is in progress. */
    static void awaitReady(ReservoirDataSource pool, int ready) {
        Awaitility.await(ready + " ready in " + pool).atMost(PATIENCE).untilAsserted(() -> {
            Stats stats = pool.stats();
            assertThat(stats.ready()).as("ready in %s", stats).isEqualTo(ready);
            assertThat(stats.open() + stats.opening() + stats.closing())
                    .as("open, opening and closing in %s", stats)
                    .isEqualTo(ready);
        });
    }

    /** Returns the process id of the session behind a connection. */
    static int pid(Connection connection) throws SQLException {
        return number(connection, "select pg_backend_pid()");
    }

    /** Uses a connection that a caller must get soon after trouble. Returns the session behind it. */
    static int useSoon(ReservoirDataSource pool) throws SQLException {
        long begunNanos = System.nanoTime();
        int pid = useOnce(pool);
        assertThat(Duration.ofNanos(System.nanoTime() - begunNanos))
                .as("until a caller is served")
                .isLessThan(SERVED_AGAIN);
        return pid;
    }

    static int number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** Acquires a connection, runs a query and releases it. */
    static int useOnce(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return pid(connection);
        }
    }

    /** Closes the pool and checks that it leaves no session and no thread behind (promise 9). */
    static void closeAndCheck(ReservoirDataSource pool, String name, Backends backends) {
        pool.close();
        backends.awaitCount(name, 0);
        assertNoThreads(name);
    }

    static void assertNoThreads(String name) {
        Awaitility.await("end of the threads of " + name)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(threadsOf(name)).isEmpty());
    }

    static List<String> threadsOf(String name) {
        String own = "reservoir-" + name;
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(thread -> thread.equals(own) || thread.startsWith(own + "-"))
                .sorted()
                .toList();
    }
}
