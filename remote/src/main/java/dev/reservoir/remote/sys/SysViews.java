package dev.reservoir.remote.sys;

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

    private static SysView<PoolRow> poolStats() {
        return new SysView<>("remote_pool_stats", SysSource::pools)
                .text("server_name", PoolRow::serverName, "")
                .text("db_type", PoolRow::dbType, "The type of the server, such as `postgresql`.")
                .flag("healthy", PoolRow::healthy, "")
                .number("total_conns", PoolRow::total, "Connections that are open: active and idle ones.")
                .number("active", PoolRow::active, "Connections in use.")
                .number("idle", PoolRow::idle, "Open connections that nobody uses.")
                .number("waiting", PoolRow::waiting, "Callers that wait for a connection.")
                .count("acquires", PoolRow::acquires, "Acquires that got a connection.")
                .count("timeouts", PoolRow::timeouts, "Acquires that ended without a connection.")
                .text("unhealthy_reason", PoolRow::unhealthyReason, "")
                .number("user_pools", PoolRow::userPools, "Pools of users.")
                .number("opening", PoolRow::opening, "Connects under way, which are not part of the total.")
                .number("draining", PoolRow::draining, "The part of the total that closes on release.")
                .number("max_conns", PoolRow::maxConnections, "The limit for all users together.")
                .count("releases", PoolRow::releases, "Connections that came back.")
                .count("connection_errors", PoolRow::connectionErrors, "Connects that failed.")
                .count("queries_executed", PoolRow::queriesExecuted, "Statements of the open connections.")
                .real("avg_acquire_ms", PoolRow::avgAcquireMs, "Mean time of an acquire.")
                .real("avg_query_ms", PoolRow::avgQueryMs, "Mean time of a statement.")
                .time("created_at", PoolRow::createdAt, "When the server was registered.")
                .time("last_activity", PoolRow::lastActivity, "When a user last used the server.");
    }

    private static SysView<UserPoolRow> userPoolStats() {
        return new SysView<>("remote_user_pool_stats", SysSource::userPools)
                .text("server_name", UserPoolRow::serverName, "")
                .text("local_user", UserPoolRow::localUser, "The user of the mapping, or `PUBLIC`.")
                .text("remote_user", UserPoolRow::remoteUser, "The user that logs in.")
                .number("total_connections", UserPoolRow::total, "Connections that are open: active and idle ones.")
                .number("active_connections", UserPoolRow::active, "Connections in use.")
                .number("idle_connections", UserPoolRow::idle, "Open connections that nobody uses.")
                .number("waiting_requests", UserPoolRow::waiting, "Callers that wait for a connection.")
                .count("total_acquires", UserPoolRow::acquires, "Acquires that got a connection.")
                .count("total_releases", UserPoolRow::releases, "Connections that came back.")
                .count("connections_created", UserPoolRow::connectionsCreated, "")
                .count("connections_destroyed", UserPoolRow::connectionsDestroyed, "")
                .count("acquire_timeouts", UserPoolRow::timeouts, "Acquires that ended without a connection.")
                .count("validation_failures", UserPoolRow::validationFailures, "")
                .real("avg_connection_lifetime_sec", UserPoolRow::avgConnectionLifetimeSec, "Of closed connections.")
                .real("avg_acquire_wait_ms", UserPoolRow::avgAcquireWaitMs, "Mean time of an acquire.")
                .number("opening_connections", UserPoolRow::opening, "Connects under way, not part of the total.")
                .count("connection_errors", UserPoolRow::connectionErrors, "Connects that failed.")
                .count("queries_executed", UserPoolRow::queriesExecuted, "Statements of the open connections.");
    }

    private static SysView<ConnectionRow> connections() {
        return new SysView<>("remote_connections", SysSource::connections)
                .count("connection_id", ConnectionRow::id, "For `CALL sys.reset_connection`.")
                .text("server_name", ConnectionRow::serverName, "")
                .text("local_user", ConnectionRow::localUser, "The user of the mapping, or `PUBLIC`.")
                .text("remote_user", ConnectionRow::remoteUser, "The user that is logged in.")
                .text("state", ConnectionRow::state, "`active` or `idle`.")
                .time("created_at", ConnectionRow::createdAt, "")
                .time("last_used", ConnectionRow::lastUsed, "Null if it was never used.")
                .count("use_count", ConnectionRow::useCount, "Acquires that got this connection.")
                .flag("marked_for_eviction", ConnectionRow::draining, "Whether it closes on release.");
    }

    private static SysView<ServerStatusRow> serverStatus() {
        return new SysView<>("remote_server_status", SysSource::serverStatus)
                .text("server_name", ServerStatusRow::serverName, "")
                .text("db_type", ServerStatusRow::dbType, "The type of the server, such as `postgresql`.")
                .text("host", ServerStatusRow::host, "")
                .number("port", ServerStatusRow::port, "")
                .flag("healthy", ServerStatusRow::healthy, "")
                .text("reason", ServerStatusRow::reason, "Why it is unhealthy, or why the last check failed.")
                .time("since", ServerStatusRow::since, "When it became healthy or unhealthy.")
                .time("last_checked", ServerStatusRow::lastChecked, "Null if it was never checked.")
                .number("consecutive_failures", ServerStatusRow::consecutiveFailures, "")
                .number("consecutive_successes", ServerStatusRow::consecutiveSuccesses, "")
                .count("checks_passed", ServerStatusRow::checksPassed, "")
                .count("checks_failed", ServerStatusRow::checksFailed, "");
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
