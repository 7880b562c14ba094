package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.catalog.ColumnInfo;
import dev.reservoir.remote.adapter.catalog.ForeignKeyInfo;
import dev.reservoir.remote.adapter.catalog.IndexInfo;
import dev.reservoir.remote.adapter.catalog.PrimaryKeyInfo;
import dev.reservoir.remote.adapter.catalog.SchemaInfo;
import dev.reservoir.remote.adapter.catalog.TableInfo;
import dev.reservoir.remote.adapter.jdbc.DriverProfile.Namespace;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Lists what a database contains, through the metadata of its driver. Reads a bounded number of entries. */
final class CatalogReader {
    /** Most entries that a list has. Further ones are left out. */
    private static final int ENTRIES_MAX = AdapterSession.FETCH_SIZE_MAX;

    private final Connection connection;
    private final Namespace namespace;

    CatalogReader(Connection connection, Namespace namespace) {
        this.connection = connection;
        this.namespace = namespace;
    }

    /** Turns the current row into an entry. Returns null to leave it out. */
    @FunctionalInterface
    private interface Entry<T> {
        @Nullable
        T of(ResultSet row) throws SQLException;
    }

    private static <T> List<T> list(ResultSet rows, Entry<T> entry) throws SQLException {
        List<T> entries = new ArrayList<>();
        try (rows) {
            while (entries.size() < ENTRIES_MAX && rows.next()) {
                T one = entry.of(rows);
                if (one != null) {
                    entries.add(one);
                }
            }
        }
        return entries;
    }

    List<SchemaInfo> schemas() throws SQLException {
        DatabaseMetaData metaData = connection.getMetaData();
        return switch (namespace) {
            case SCHEMA ->
                list(
                        metaData.getSchemas(),
                        row -> new SchemaInfo(text(row, "TABLE_CATALOG"), text(row, "TABLE_SCHEM")));
            case CATALOG -> list(metaData.getCatalogs(), row -> new SchemaInfo("", text(row, "TABLE_CAT")));
            case NONE -> List.of();
        };
    }

    List<TableInfo> tables(String schema) throws SQLException {
        Place place = place(schema);
        return list(
                connection.getMetaData().getTables(place.catalog, pattern(place.schema), "%", null),
                row -> isTable(text(row, "TABLE_TYPE"))
                        ? new TableInfo(
                                schemaOf(row, "TABLE"),
                                text(row, "TABLE_NAME"),
                                text(row, "TABLE_TYPE"),
                                text(row, "REMARKS"))
                        : null);
    }

    /** Leaves out indexes, sequences, types and what belongs to the database itself. */
    private static boolean isTable(String type) {
        return (type.contains("TABLE") || type.contains("VIEW") || type.equals("SYSTEM VERSIONED"))
                && !type.startsWith("SYSTEM T")
                && !type.equals("SYSTEM VIEW");
    }

    List<ColumnInfo> columns(String schema, String table) throws SQLException {
        Place place = place(schema);
        return list(
                connection.getMetaData().getColumns(place.catalog, pattern(place.schema), pattern(table), "%"),
                row -> new ColumnInfo(
                        text(row, "TABLE_NAME"),
                        text(row, "COLUMN_NAME"),
                        row.getInt("ORDINAL_POSITION"),
                        row.getInt("DATA_TYPE"),
                        text(row, "TYPE_NAME"),
                        row.getInt("COLUMN_SIZE"),
                        row.getInt("DECIMAL_DIGITS"),
                        row.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls,
                        text(row, "COLUMN_DEF")));
    }

    List<IndexInfo> indexes(String schema, String table) throws SQLException {
        Place place = place(schema);
        Map<String, List<String>> columns = new LinkedHashMap<>();
        Map<String, Boolean> unique = new LinkedHashMap<>();
        list(connection.getMetaData().getIndexInfo(place.catalog, place.schema, table, false, true), row -> {
            String name = text(row, "INDEX_NAME");
            if (row.getShort("TYPE") != DatabaseMetaData.tableIndexStatistic && !name.isEmpty()) {
                columns.computeIfAbsent(name, one -> new ArrayList<>()).add(text(row, "COLUMN_NAME"));
                unique.put(name, !row.getBoolean("NON_UNIQUE"));
            }
            return name;
        });
        List<IndexInfo> indexes = new ArrayList<>();
        columns.forEach((name, of) -> indexes.add(new IndexInfo(table, name, unique.getOrDefault(name, false), of)));
        return indexes;
    }

    Optional<PrimaryKeyInfo> primaryKey(String schema, String table) throws SQLException {
        Place place = place(schema);
        Map<Integer, String> columns = new TreeMap<>();
        List<String> names = list(connection.getMetaData().getPrimaryKeys(place.catalog, place.schema, table), row -> {
            columns.put(row.getInt("KEY_SEQ"), text(row, "COLUMN_NAME"));
            return text(row, "PK_NAME");
        });
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new PrimaryKeyInfo(table, names.get(0), List.copyOf(columns.values())));
    }

    List<ForeignKeyInfo> foreignKeys(String schema, String table) throws SQLException {
        Place place = place(schema);
        List<KeyColumn> columns = list(
                connection.getMetaData().getImportedKeys(place.catalog, place.schema, table),
                row -> new KeyColumn(
                        text(row, "FK_NAME"),
                        row.getInt("KEY_SEQ"),
                        text(row, "FKCOLUMN_NAME"),
                        schemaOf(row, "PKTABLE"),
                        text(row, "PKTABLE_NAME"),
                        text(row, "PKCOLUMN_NAME")));
        Map<String, List<KeyColumn>> byKey = new LinkedHashMap<>();
        for (KeyColumn column : columns) {
            byKey.computeIfAbsent(column.key + "\0" + column.otherTable, one -> new ArrayList<>())
                    .add(column);
        }
        return byKey.values().stream().map(key -> foreignKey(table, key)).toList();
    }

    private static ForeignKeyInfo foreignKey(String table, List<KeyColumn> columns) {
        List<KeyColumn> ordered = columns.stream()
                .sorted((a, b) -> Integer.compare(a.position, b.position))
                .toList();
        KeyColumn first = ordered.get(0);
        return new ForeignKeyInfo(
                table,
                first.key,
                ordered.stream().map(KeyColumn::column).toList(),
                first.otherSchema,
                first.otherTable,
                ordered.stream().map(KeyColumn::otherColumn).toList());
    }

    private record KeyColumn(
            String key, int position, String column, String otherSchema, String otherTable, String otherColumn) {}

    /** A schema as the driver wants it. */
    private record Place(@Nullable String catalog, @Nullable String schema) {}

    private Place place(String schema) throws SQLException {
        return switch (namespace) {
            case SCHEMA -> new Place(null, schema.isEmpty() ? connection.getSchema() : schema);
            case CATALOG -> new Place(schema.isEmpty() ? connection.getCatalog() : schema, null);
            case NONE -> new Place(null, null);
        };
    }

    private String schemaOf(ResultSet row, String prefix) throws SQLException {
        return switch (namespace) {
            case SCHEMA -> text(row, prefix + "_SCHEM");
            case CATALOG -> text(row, prefix + "_CAT");
            case NONE -> "";
        };
    }

    /** A pattern that matches this name alone. */
    private @Nullable String pattern(@Nullable String name) throws SQLException {
        if (name == null) {
            return null;
        }
        String escape = connection.getMetaData().getSearchStringEscape();
        return escape.isEmpty()
                ? name
                : name.replace(escape, escape + escape)
                        .replace("_", escape + "_")
                        .replace("%", escape + "%");
    }

    private static String text(ResultSet row, String column) throws SQLException {
        String value = row.getString(column);
        return value == null ? "" : value;
    }
}
