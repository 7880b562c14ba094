package dev.reservoir.remote.model;

import dev.reservoir.remote.model.RemoteOption.Definition;
import dev.reservoir.remote.model.RemoteOption.Group;
import dev.reservoir.remote.model.RemoteOption.Table;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every option of a server: the one place that declares its key, type, default, allowed values and documentation.
 * {@code CREATE SERVER}, {@code ALTER SERVER}, {@code sys.foreign_servers} and the SQL reference follow from it. Never
 * holds a value.
 */
public final class ServerOptions {
    /** Begins the key of an option that goes to the driver as it is. */
    public static final String DRIVER_PREFIX = "driver.";

    /** Most connections to one server, for all its users together. */
    public static final int CONNECTIONS_MAX = 100;

    /** Most rows that a cursor fetches at once. */
    public static final int FETCH_SIZE_MAX = 100_000;

    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration YEAR = Duration.ofDays(365);

    private static final Table TABLE = new Table();

    // Where to connect.

    public static final RemoteOption<String> HOST = text(Group.CONNECTION, "host")
            .byDefault("localhost")
            .allowed(
                    host -> host.matches("[A-Za-z0-9._:%\\[\\]-]{1,253}"),
                    "a host name or address of 1 to 253 letters, digits, dots, dashes, underscores and colons")
            .doc("The host of the server.");

    public static final RemoteOption<Integer> PORT = number(Group.CONNECTION, "port", 1, 65_535)
            .otherwise("5432 for PostgreSQL, 3306 for MySQL, 1433 for SQL Server, 3050 for Firebird,"
                    + " 3092 for ScratchBird")
            .doc("The port of the server.");

    public static final RemoteOption<String> DBNAME = text(Group.CONNECTION, "dbname")
            .alias("database")
            .otherwise("the driver's")
            .doc("The database on the server; for Firebird its path or alias.");

    // TLS.

    public static final RemoteOption<Boolean> USE_SSL = TABLE.define(Group.TLS, "use_ssl", OptionType.FLAG)
            .otherwise("what `ssl_mode` says")
            .doc("Whether connections use TLS. `true` alone means `ssl_mode 'require'`,"
                    + " `false` alone means `ssl_mode 'disable'`.");

    public static final RemoteOption<SslMode> SSL_MODE = TABLE.define(
                    Group.TLS, "ssl_mode", OptionType.of(SslMode.class))
            .otherwise("prefer")
            .doc("How much TLS a connection needs.");

    public static final RemoteOption<String> SSL_CA_CERT = text(Group.TLS, "ssl_ca_cert")
            .otherwise("the driver's")
            .doc("The file with the certificates of the authorities that may sign the server's certificate.");

    public static final RemoteOption<String> SSL_CLIENT_CERT =
            text(Group.TLS, "ssl_client_cert").doc("The file with the certificate that the client shows.");

    public static final RemoteOption<String> SSL_CLIENT_KEY =
            text(Group.TLS, "ssl_client_key").doc("The file with the key of that certificate.");

    // Pool.

    public static final RemoteOption<Integer> MIN_CONNECTIONS = number(
                    Group.POOL, "min_connections", 0, CONNECTIONS_MAX)
            .byDefault(1)
            .doc("The number of connections that a user's pool keeps open while it is in use."
                    + " At most `max_connections`.");

    public static final RemoteOption<Integer> MAX_CONNECTIONS = number(
                    Group.POOL, "max_connections", 1, CONNECTIONS_MAX)
            .byDefault(10)
            .doc("The most connections to the server, for all its users together.");

    public static final RemoteOption<Duration> CONNECT_TIMEOUT = millis(Group.POOL, "connect_timeout", MILLI, HOUR)
            .byDefault(Duration.ofSeconds(5))
            .doc("The longest time that one connect may take.");

    public static final RemoteOption<Duration> QUERY_TIMEOUT = millis(Group.POOL, "query_timeout", MILLI, HOUR)
            .byDefault(Duration.ofSeconds(30))
            .doc(
                    "The longest time that one statement may take. It is then cancelled, if it goes through the methods of a"
                            + " session. Statements of plain JDBC are not cancelled; 10 seconds later the connection breaks.");

    public static final RemoteOption<Duration> ACQUIRE_TIMEOUT = millis(
                    Group.POOL, "acquire_timeout", Duration.ZERO, HOUR)
            .byDefault(Duration.ofSeconds(5))
            .doc("The longest time that an acquire waits, unless the caller names another.");

    public static final RemoteOption<Duration> IDLE_TIMEOUT = millis(Group.POOL, "idle_timeout", Duration.ZERO, YEAR)
            .byDefault(Duration.ofMinutes(5))
            .doc("A connection that was not used for this time is closed, down to `min_connections`."
                    + " A user's pool without connections and waiters is removed after this time. 0 means never.");

    public static final RemoteOption<Duration> MAX_LIFETIME = millis(Group.POOL, "max_lifetime", Duration.ZERO, YEAR)
            .byDefault(HOUR)
            .doc("The age at which a connection is replaced. 0 means never.");

    public static final RemoteOption<Boolean> RESET_ON_RELEASE =
            flag(Group.POOL, "reset_on_release", true).doc("Whether the state of the session is reset on release.");

    public static final RemoteOption<Boolean> VALIDATE_ON_ACQUIRE = flag(Group.POOL, "validate_on_acquire", false)
            .doc("Whether a connection is validated before it is handed out.");

    public static final RemoteOption<Boolean> VALIDATE_ON_RELEASE =
            flag(Group.POOL, "validate_on_release", false).doc("Whether a connection is validated on release.");

    public static final RemoteOption<Duration> VALIDATION_INTERVAL = TABLE.define(
                    Group.POOL, "validation_interval_seconds", OptionType.SECONDS)
            .range(Duration.ZERO, DAY)
            .byDefault(Duration.ofSeconds(30))
            .doc("A connection that was idle for this time is validated. 0 means never.");

    public static final RemoteOption<Boolean> WARMUP_ON_CREATE = flag(Group.POOL, "warmup_on_create", true)
            .doc("Whether a new pool of a user opens `warmup_connections` at once.");

    public static final RemoteOption<Integer> WARMUP_CONNECTIONS = number(
                    Group.POOL, "warmup_connections", 0, CONNECTIONS_MAX)
            .byDefault(1)
            .doc("The number of connections that a new pool of a user opens at once. At most `max_connections`.");

    public static final RemoteOption<ExhaustionPolicy> EXHAUSTION_POLICY = TABLE.define(
                    Group.POOL, "exhaustion_policy", OptionType.of(ExhaustionPolicy.class))
            .byDefault(ExhaustionPolicy.WAIT)
            .doc("What an acquire does when all connections are in use: wait, fail at once,"
                    + " or open a temporary one beyond the maximum.");

    public static final RemoteOption<Integer> OVERFLOW_MAX = number(Group.POOL, "overflow_max", 0, CONNECTIONS_MAX)
            .byDefault(5)
            .doc("The most temporary connections beyond `max_connections`, with `exhaustion_policy 'overflow'`.");

    public static final RemoteOption<Integer> CONNECTION_RATE_LIMIT = number(
                    Group.POOL, "connection_rate_limit", 0, 10_000)
            .byDefault(0)
            .doc("The most connects to the server per second, for all its users together. 0 means no limit.");

    public static final RemoteOption<Duration> LEAK_DETECTION_THRESHOLD = millis(
                    Group.POOL, "leak_detection_threshold", Duration.ZERO, DAY)
            .byDefault(Duration.ZERO)
            .doc("A connection that is in use for longer is reported with the place that acquired it."
                    + " 0 switches this off.");

    public static final RemoteOption<Integer> FETCH_SIZE = number(Group.POOL, "fetch_size", 1, FETCH_SIZE_MAX)
            .byDefault(1_000)
            .doc("The number of rows that a cursor fetches at once.");

    public static final RemoteOption<Boolean> COLLECT_STATISTICS = flag(Group.POOL, "collect_statistics", true)
            .doc("Whether reports have the mean times of acquires and of connections.");

    public static final RemoteOption<Boolean> COLLECT_QUERY_STATS =
            flag(Group.POOL, "collect_query_stats", true).doc("Whether statements are counted and measured.");

    // Health checks.

    public static final RemoteOption<Boolean> ENABLE_HEALTH_CHECK =
            flag(Group.HEALTH, "enable_health_check", true).doc("Whether the server is checked regularly.");

    public static final RemoteOption<HealthCheckType> HEALTH_CHECK_TYPE = TABLE.define(
                    Group.HEALTH, "health_check_type", OptionType.of(HealthCheckType.class))
            .byDefault(HealthCheckType.PING)
            .doc("What a health check does: ask the driver, execute the health query, or reset and execute it.");

    public static final RemoteOption<String> HEALTH_CHECK_QUERY = text(Group.HEALTH, "health_check_query")
            .otherwise("`SELECT 1`; for Firebird `SELECT 1 FROM RDB$DATABASE`")
            .doc("The query of a health check.");

    public static final RemoteOption<Duration> HEALTH_CHECK_TIMEOUT = millis(
                    Group.HEALTH, "health_check_timeout", MILLI, HOUR)
            .byDefault(Duration.ofSeconds(5))
            .doc("The longest time that one health check may take, with its connect.");

    public static final RemoteOption<Duration> HEALTH_CHECK_INTERVAL = millis(
                    Group.HEALTH, "health_check_interval", Duration.ofMillis(10), DAY)
            .byDefault(Duration.ofSeconds(30))
            .doc("The time from one health check to the next.");

    public static final RemoteOption<Integer> HEALTH_FAILURE_THRESHOLD = number(
                    Group.HEALTH, "health_failure_threshold", 1, 1_000)
            .alias("failure_threshold")
            .byDefault(3)
            .doc("The number of failed checks in a row that make the server unhealthy.");

    public static final RemoteOption<Integer> HEALTH_RECOVERY_THRESHOLD = number(
                    Group.HEALTH, "health_recovery_threshold", 1, 1_000)
            .alias("recovery_threshold")
            .byDefault(2)
            .doc("The number of good checks in a row that make the server healthy again.");

    public static final RemoteOption<String> HEALTH_CHECK_USER = text(Group.HEALTH, "health_check_user")
            .otherwise("`PUBLIC` if it has a mapping, else the first user in the alphabet that has one")
            .doc("The local user whose mapping the health check connects with.");

    private static final List<RemoteOption<?>> ALL = TABLE.all();

    private ServerOptions() {}

    /** All options, in the order of the documentation. */
    public static List<RemoteOption<?>> all() {
        return ALL;
    }

    /** The option with this key or alias, in any case. Returns null if there is none. */
    public static @Nullable RemoteOption<?> named(String key) {
        return TABLE.named(key);
    }

    static RemoteOption<?> known(String key) throws RemoteException {
        RemoteOption<?> option = named(key);
        if (option == null) {
            throw Names.unknownOption("server", key, ALL);
        }
        return option;
    }

    private static Definition<String> text(Group group, String key) {
        return TABLE.define(group, key, OptionType.TEXT);
    }

    private static Definition<Integer> number(Group group, String key, int least, int most) {
        return TABLE.define(group, key, OptionType.INTEGER).range(least, most);
    }

    private static Definition<Duration> millis(Group group, String key, Duration least, Duration most) {
        return TABLE.define(group, key, OptionType.MILLIS).range(least, most);
    }

    private static Definition<Boolean> flag(Group group, String key, boolean byDefault) {
        return TABLE.define(group, key, OptionType.FLAG).byDefault(byDefault);
    }
}
