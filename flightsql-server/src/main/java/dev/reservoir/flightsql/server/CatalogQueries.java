package dev.reservoir.flightsql.server;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetDbSchemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTables;

/** The queries that answer requests for catalog metadata, with the columns that Flight SQL prescribes. */
final class CatalogQueries {
    static final String CATALOGS = "SELECT DISTINCT catalog_name FROM information_schema.schemata ORDER BY 1";
    static final String TABLE_TYPES = "SELECT unnest(['BASE TABLE', 'LOCAL TEMPORARY', 'VIEW']) AS table_type";

    private CatalogQueries() {}

    static String schemas(CommandGetDbSchemas command) {
        List<String> conditions = new ArrayList<>();
        if (command.hasCatalog()) {
            conditions.add("catalog_name = " + quoted(command.getCatalog()));
        }
        if (command.hasDbSchemaFilterPattern()) {
            conditions.add("schema_name LIKE " + quoted(command.getDbSchemaFilterPattern()));
        }
        return "SELECT DISTINCT catalog_name, schema_name AS db_schema_name FROM information_schema.schemata"
                + where(conditions) + " ORDER BY 1, 2";
    }

    static String tables(CommandGetTables command) {
        List<String> conditions = new ArrayList<>();
        if (command.hasCatalog()) {
            conditions.add("table_catalog = " + quoted(command.getCatalog()));
        }
        if (command.hasDbSchemaFilterPattern()) {
            conditions.add("table_schema LIKE " + quoted(command.getDbSchemaFilterPattern()));
        }
        if (command.hasTableNameFilterPattern()) {
            conditions.add("table_name LIKE " + quoted(command.getTableNameFilterPattern()));
        }
        if (command.getTableTypesCount() > 0) {
            List<String> types = command.getTableTypesList().stream()
                    .map(CatalogQueries::quoted)
                    .toList();
            conditions.add("table_type IN (" + String.join(", ", types) + ")");
        }
        return "SELECT table_catalog AS catalog_name, table_schema AS db_schema_name, table_name, table_type"
                + " FROM information_schema.tables" + where(conditions) + " ORDER BY 1, 2, 3";
    }

    private static String where(List<String> conditions) {
        return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** A statement that inserts one row with this many values. */
    static String insert(String table, int columns) {
        return "INSERT INTO \"" + table.replace("\"", "\"\"") + "\" VALUES ("
                + String.join(", ", Collections.nCopies(columns, "?")) + ")";
    }
}
