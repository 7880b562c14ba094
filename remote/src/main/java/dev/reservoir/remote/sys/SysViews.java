package dev.reservoir.remote.sys;

import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.UserPoolStats;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Every view, with its columns. The tables of the database and the SQL reference follow from it. */
final class SysViews {
    /** The schema of the views. */
    public static final String SCHEMA = "sys";

    // What several views say with the same words.

    private static final String OPEN = "Connections that are open: active and idle ones.";
    private static final String IDLE = "Open connections that nobody uses.";
    private static final String WAITING = "Callers that wait for a connection.";
    private static final String ACQUIRES = "Acquires that got a connection.";
    private static final String RELEASES = "Connections that came back.";
    private static final String TIMEOUTS = "Acquires that ended without a connection.";
    private static final String OPENING = "Connects under way, which are not part of the total.";
    private static final String ERRORS = "Connects that failed.";
    private static final String QUERIES = "Statements through the registry, without those of plain JDBC.";
    private static final String LOCAL_USER = "The user of the mapping, or `PUBLIC`.";
    private static final String VALIDATED =
            "When it last showed that it works: at its connect, a validation, or a release.";
    private static final String STATES =
            "What its session does: `connected`, `in_transaction`, `executing`, `fetching`,"
                    + " `closing`, `disconnected` or `failed`. Statements of plain JDBC are not seen.";

    private static final List<SysView<?>> ALL = List.of(
            poolStats(),
            userPoolStats(),
            connections(),
            serverStatus(),
            foreignServers(),
            foreignServerOptions(),
            userMappings());

    private SysViews() {}

    /** All views, in the order of the documentation. */
    public static List<SysView<?>> all() {
        return ALL;
    }

    private static SysView<ServerPoolStats> poolStats() {
        return new SysView<>("remote_pool_stats", SysSource::pools)
                .text("server_name", ServerPoolStats::serverName, "")
                .text("db_type", stats -> stats.dbType().label(), "The type of the server, such as `postgresql`.")
                .flag("healthy", ServerPoolStats::healthy, "")
                .number("total_conns", ServerPoolStats::totalConnections, OPEN)
                .number("active", ServerPoolStats::activeConnections, "Connections in use.")
                .number("idle", ServerPoolStats::idleConnections, IDLE)
                .number("waiting", ServerPoolStats::pendingRequests, WAITING)
                .count("acquires", ServerPoolStats::totalAcquires, ACQUIRES)
                .count("timeouts", ServerPoolStats::acquireTimeouts, TIMEOUTS)
                .text("unhealthy_reason", ServerPoolStats::unhealthyReason, "")
                .number("total_user_pools", ServerPoolStats::totalUserPools, "Pools of users.")
                .number("opening", ServerPoolStats::openingConnections, OPENING)
                .number(
                        "draining",
                        ServerPoolStats::drainingConnections,
                        "The part of the total that closes on release.")
                .number("max_conns", ServerPoolStats::maxConnections, "The limit for all users together.")
                .count("total_releases", ServerPoolStats::totalReleases, RELEASES)
                .count("connection_errors", ServerPoolStats::connectionErrors, ERRORS)
                .count("queries_executed", ServerPoolStats::queriesExecuted, QUERIES)
                .real("avg_acquire_time_ms", ServerPoolStats::avgAcquireTimeMs, "Mean time of an acquire.")
                .real("avg_query_time_ms", ServerPoolStats::avgQueryTimeMs, "Mean time of a statement.")
                .time("created_at", ServerPoolStats::createdAt, "When the server was registered.")
                .time("last_activity", ServerPoolStats::lastActivity, "When a user last used the server.");
    }

    private static SysView<UserPoolStats> userPoolStats() {
        return new SysView<>("remote_user_pool_stats", SysSource::userPools)
                .text("server_name", UserPoolStats::serverName, "")
                .text("local_user", UserPoolStats::localUser, LOCAL_USER)
                .text("remote_user", UserPoolStats::remoteUser, "The user that logs in.")
                .number("total_connections", UserPoolStats::totalConnections, OPEN)
                .number("active_connections", UserPoolStats::activeConnections, "Connections in use.")
                .number("idle_connections", UserPoolStats::idleConnections, IDLE)
                .number("waiting_requests", UserPoolStats::waitingRequests, WAITING)
                .count("total_acquires", UserPoolStats::totalAcquires, ACQUIRES)
                .count("total_releases", UserPoolStats::totalReleases, RELEASES)
                .count("connections_created", UserPoolStats::connectionsCreated, "")
                .count("connections_destroyed", UserPoolStats::connectionsDestroyed, "")
                .count("acquire_timeouts", UserPoolStats::acquireTimeouts, TIMEOUTS)
                .count("validation_failures", UserPoolStats::validationFailures, "")
                .real("avg_connection_lifetime_sec", UserPoolStats::avgConnectionLifetimeSec, "Of closed connections.")
                .real("avg_acquire_wait_ms", UserPoolStats::avgAcquireWaitMs, "Mean time of an acquire.")
                .number("opening_connections", UserPoolStats::openingConnections, OPENING)
                .count("connection_errors", UserPoolStats::connectionErrors, ERRORS)
                .count("queries_executed", UserPoolStats::queriesExecuted, QUERIES);
    }

    private static SysView<ConnectionDetails> connections() {
        return new SysView<>("remote_connections", SysSource::connections)
                .count("connection_id", ConnectionDetails::id, "For `CALL sys.reset_connection`.")
                .text("server_name", ConnectionDetails::serverName, "")
                .text("local_user", ConnectionDetails::localUser, LOCAL_USER)
                .text("remote_user", ConnectionDetails::remoteUser, "The user that is logged in.")
                .flag("in_use", ConnectionDetails::inUse, "Whether a caller holds it.")
                .text("state", connection -> connection.state().label(), STATES)
                .time("created_at", ConnectionDetails::createdAt, "")
                .time("last_used", ConnectionDetails::lastAcquiredAt, "When it was last acquired, or null.")
                .time("last_validated", ConnectionDetails::lastValidatedAt, VALIDATED)
                .count("use_count", ConnectionDetails::uses, "Acquires that got this connection.")
                .count("query_count", ConnectionDetails::queries, QUERIES)
                .flag("marked_for_eviction", ConnectionDetails::markedForEviction, "Whether it closes on release.");
    }

    private static SysView<ServerStatusRow> serverStatus() {
        return new SysView<>("remote_server_status", SysSource::serverStatus)
                .text("server_name", row -> row.server().name(), "")
                .text("db_type", row -> row.server().type().label(), "The type of the server, such as `postgresql`.")
                .text("host", row -> row.server().host(), "")
                .number("port", row -> row.server().port(), "")
                .flag("healthy", row -> row.health().healthy(), "")
                .text("reason", row -> row.health().reason(), "Why it is unhealthy, or why the last check failed.")
                .time("since", row -> row.health().since(), "When it became healthy or unhealthy.")
                .time("last_checked", row -> row.health().lastChecked(), "Null if it was never checked.")
                .number("consecutive_failures", row -> row.health().failuresInARow(), "")
                .number("consecutive_successes", row -> row.health().successesInARow(), "")
                .count("checks_passed", row -> row.health().checks(), "")
                .count("checks_failed", row -> row.health().failedChecks(), "");
    }

    private static SysView<ServerDefinition> foreignServers() {
        return new SysView<>("foreign_servers", SysSource::servers)
                .id("server_id", ServerDefinition::id, "Stays the same when the server is altered.")
                .text("server_name", ServerDefinition::name, "")
                .text("db_type", server -> server.type().label(), "The type of the server, such as `postgresql`.")
                .text("wrapper", server -> server.type().wrapper(), "The foreign data wrapper.")
                .text("host", ServerDefinition::host, "")
                .number("port", ServerDefinition::port, "")
                .text("dbname", ServerDefinition::database, "")
                .text("ssl_mode", server -> server.sslMode().label(), "")
                .number("min_connections", server -> server.pool().minConnections(), "")
                .number("max_connections", server -> server.pool().maxConnections(), "")
                .text("options", server -> shown(server.options()), "The options that were given.")
                .text("owner", ServerDefinition::owner, "The user that created the server.")
                .time("created_at", ServerDefinition::created, "")
                .time("modified_at", ServerDefinition::modified, "");
    }

    private static SysView<OptionRow> foreignServerOptions() {
        return new SysView<>("foreign_server_options", source -> OptionRow.of(source.servers()))
                .text("server_name", OptionRow::serverName, "")
                .text("option_name", OptionRow::option, "")
                .text("option_value", OptionRow::value, "The value that was given, else the default.")
                .flag("given", OptionRow::given, "Whether the value was given.")
                .text("allowed", OptionRow::allowed, "The values that are allowed.");
    }

    private static SysView<UserMapping> userMappings() {
        return new SysView<>("user_mappings", SysSource::mappings)
                .id("mapping_id", UserMapping::id, "Stays the same when the mapping is altered.")
                .text("server_name", UserMapping::server, "")
                .text("local_user", UserMapping::localUser, "The local user, or `PUBLIC`.")
                .text("remote_user", UserMapping::remoteUser, "The user that logs in.")
                .text("auth_type", mapping -> mapping.authType().name().toLowerCase(Locale.ROOT), "")
                .flag("has_password", mapping -> mapping.remotePassword() != null, "The password is never shown.")
                .text("options", mapping -> shown(mapping.options()), "The options that were given, no password.")
                .time("created_at", UserMapping::created, "")
                .time("modified_at", UserMapping::modified, "");
    }

    /** Options as they stand in a statement. */
    private static String shown(Map<String, String> options) {
        return options.entrySet().stream()
                .map(option -> option.getKey() + " '" + option.getValue().replace("'", "''") + "'")
                .collect(Collectors.joining(", "));
    }
}
