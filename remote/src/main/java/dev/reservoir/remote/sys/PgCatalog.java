package dev.reservoir.remote.sys;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of PostgreSQL's catalog that psql reads for {@code \d}, {@code \dt}, {@code \dv}, {@code \dn} and
 * {@code \l}, as tables of H2. The catalog that H2 brings lacks columns that psql needs.
 *
 * <p>Where PostgreSQL holds the number of a type, an owner or an encoding, these tables hold its name. So the functions
 * that make a name of such a number only have to return their first argument, see {@link PostgresSyntax}.
 */
final class PgCatalog {
    /** The schema of these tables. H2 has a schema {@code pg_catalog} of its own, which cannot be changed. */
    static final String SCHEMA = "pg";

    private static final String OWNER = "reservoir";
    private static final int NAMESPACE = 11;

    /** Where the numbers of the views begin. PostgreSQL's own numbers are smaller. */
    private static final int FIRST_VIEW = 16_384;

    private static final Map<String, String> TABLES = new TreeMap<>(Map.of(
            "pg_namespace", "oid int, nspname varchar, nspowner varchar, nspacl varchar",
            "pg_class",
                    "oid int, relname varchar, relnamespace int, relkind varchar, relowner varchar default '" + OWNER
                            + "', relam int default 0, relchecks int default 0, relhasindex boolean default false,"
                            + " relhasrules boolean default false, relhastriggers boolean default false,"
                            + " relrowsecurity boolean default false, relforcerowsecurity boolean default false,"
                            + " relispartition boolean default false, reltablespace int default 0,"
                            + " reloftype int default 0, relpersistence varchar default 'p',"
                            + " relreplident varchar default 'n', reltoastrelid int default 0",
            "pg_attribute",
                    "attrelid int, attname varchar, atttypid varchar, attnum int, atttypmod varchar,"
                            + " atthasdef boolean default false, attnotnull boolean default false,"
                            + " attcollation int default 0, attidentity varchar default '',"
                            + " attgenerated varchar default '', attisdropped boolean default false",
            "pg_database",
                    "datname varchar, datdba varchar, encoding varchar, datcollate varchar, datctype varchar,"
                            + " daticulocale varchar, daticurules varchar, datlocprovider varchar, datacl varchar",
            "pg_am", "oid int, amname varchar",
            "pg_attrdef", "adrelid int, adnum int, adbin varchar",
            "pg_collation", "oid int, collname varchar",
            "pg_type", "oid varchar, typcollation int"));

    private PgCatalog() {}

    /** Whether this catalog has the table. */
    static boolean has(String table) {
        return TABLES.containsKey(table);
    }

    /** Creates the tables and describes the views in them. */
    static void create(Connection loader) throws SQLException {
        try (Statement statement = loader.createStatement()) {
            statement.execute("CREATE SCHEMA " + SCHEMA);
            for (Map.Entry<String, String> table : TABLES.entrySet()) {
                statement.execute("CREATE TABLE " + SCHEMA + "." + table.getKey() + " (" + table.getValue() + ")");
            }
        }
        insert(loader, "pg_namespace", NAMESPACE, SysViews.SCHEMA, OWNER, "");
        insert(loader, "pg_database", SysViews.SCHEMA, OWNER, "UTF8", "C.UTF-8", "C.UTF-8", null, null, "c", "");
        int oid = FIRST_VIEW;
        for (SysView<?> view : SysViews.all()) {
            insert(loader, "pg_class(oid, relname, relnamespace, relkind)", oid, view.name(), NAMESPACE, "v");
            int number = 0;
            for (SysView.Column<?> column : view.columns()) {
                String type = nameOf(column.type());
                insert(loader, "pg_attribute(attrelid, attname, atttypid, attnum)", oid, column.name(), type, ++number);
            }
            oid++;
        }
    }

    /** The name that PostgreSQL shows for a type. */
    private static String nameOf(String type) {
        return type.equals("varchar") ? "character varying" : type.replace("(6)", "");
    }

    private static void insert(Connection loader, String table, @Nullable Object... values) throws SQLException {
        String places = "?" + ", ?".repeat(values.length - 1);
        try (PreparedStatement insert =
                loader.prepareStatement("INSERT INTO " + SCHEMA + "." + table + " VALUES (" + places + ")")) {
            for (int i = 0; i < values.length; i++) {
                insert.setObject(i + 1, values[i]);
            }
            insert.executeUpdate();
        }
    }
}
