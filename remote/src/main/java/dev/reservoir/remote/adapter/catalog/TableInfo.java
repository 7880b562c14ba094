package dev.reservoir.remote.adapter.catalog;

/**
 * A table or view of a remote database.
 *
 * @param schema the schema; on MySQL the database; empty on Firebird 3, which has no schemas
 * @param type what the driver calls it, for example {@code TABLE} or {@code VIEW}
 * @param remarks the comment; empty if there is none
 */
public record TableInfo(String schema, String name, String type, String remarks) {}
