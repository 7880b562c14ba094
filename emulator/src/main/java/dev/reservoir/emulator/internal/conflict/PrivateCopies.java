package dev.reservoir.emulator.internal.conflict;

import dev.reservoir.emulator.internal.sql.Statements;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Copies of tables as a transaction's snapshot sees them, for that transaction only. They are temporary tables of the
 * same names, which the server finds first, and views of the same names on them. On them a transaction can go on after
 * others have changed its rows or hold locks on them. They end with the transaction, or when it is rolled back to its
 * savepoint. Used only on the session's event loop.
 */
final class PrivateCopies {
    /** Most rows copied of one table. More would delay the waiting statement too long. */
    private static final int MOST_ROWS = 10_000;

    private static final int MOST_TABLES = 32;
    private static final int MOST_NAMES = 5_000;

    /** Separates statements in an answer of the catalog. No name and no definition contains it. */
    private static final String BETWEEN = "\001";

    /**
     * Finds tables and views by their names. The columns are: schema, name, both quoted, columns, the changes to make
     * in a copy, unique indexes that belong to no constraint, and the definition of a view. Constraints keep their
     * names, which clients read in errors and write in ON CONFLICT. Other indexes are left out.
     */
    private static final String TABLES = """
            SELECT n.nspname, c.relname, quote_ident(n.nspname), quote_ident(c.relname),
                (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''),
                concat_ws(', ',
                    (SELECT string_agg(format('ALTER %I SET DEFAULT nextval(%L::regclass)', a.attname,
                            pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname)), ', ')
                        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND a.attidentity <> ''),
                    (SELECT string_agg(format('ADD CONSTRAINT %I ', k.conname) || pg_get_constraintdef(k.oid), ', ')
                        FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u'))),
                (SELECT string_agg(replace(pg_get_indexdef(i.indexrelid), format(' ON %I.%I ', n.nspname, c.relname),
                        format(' ON pg_temp.%I ', c.relname)), chr(1))
                    FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique
                        AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))),
                CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'v') AND left(n.nspname, 3) <> 'pg_' AND n.nspname NOT IN ('information_schema', 'sys')
                AND has_table_privilege(c.oid, 'SELECT') AND c.relname IN (""";

    private final OwnStatements own;
    private final Set<String> names = new HashSet<>();
    private final Map<String, Set<String>> tablesBySchema = new HashMap<>();

    PrivateCopies(OwnStatements own) {
        this.own = own;
    }

    /** Forgets the copies after the server has dropped them. */
    void forget() {
        names.clear();
        tablesBySchema.clear();
    }

    /**
     * Copies the tables that these statements may use and that have no copy yet. Tells {@code then} whether it
     * succeeded.
     */
    void cover(Collection<String> statements, Consumer<Boolean> then) {
        StringBuilder list = new StringBuilder();
        for (String statement : statements) {
            for (String name : Statements.names(statement)) {
                if (names.add(name)) {
                    list.append(list.isEmpty() ? "" : ", ")
                            .append('\'')
                            .append(name.replace("'", "''"))
                            .append('\'');
                }
            }
        }
        if (list.isEmpty() || names.size() > MOST_NAMES) {
            then.accept(list.isEmpty());
            return;
        }
        own.run(TABLES + list + ") ORDER BY c.oid", found -> {
            Queue<String> work = new ArrayDeque<>();
            Map<String, String> views = new LinkedHashMap<>();
            boolean possible = found.error() == null && found.rows().size() <= MOST_TABLES;
            for (List<String> table : found.rows()) {
                possible &= plan(table, work, views);
            }
            if (possible) {
                next(work, copied -> {
                    if (copied && !views.isEmpty()) {
                        coverViews(views, then);
                    } else {
                        then.accept(copied);
                    }
                });
            } else {
                then.accept(false);
            }
        });
    }

    /** Creates views of the same names after everything that they use has been copied, which may include views. */
    private void coverViews(Map<String, String> views, Consumer<Boolean> then) {
        cover(views.values(), covered -> {
            if (!covered) {
                then.accept(false);
                return;
            }
            Queue<String> work = new ArrayDeque<>();
            views.forEach(
                    (name, query) -> work.add("CREATE TEMPORARY VIEW pg_temp." + name + " AS " + onCopies(query)));
            next(work, then);
        });
    }

    private boolean plan(List<String> table, Queue<String> work, Map<String, String> views) {
        String name = table.get(1);
        if (tablesBySchema.values().stream().anyMatch(tables -> tables.contains(name))) {
            // The server cannot find two tables of one name first.
            return false;
        }
        tablesBySchema.computeIfAbsent(table.get(0), schema -> new HashSet<>()).add(name);
        if (!table.get(7).isEmpty()) {
            views.put(table.get(3), table.get(7));
            return true;
        }
        String from = table.get(2) + "." + table.get(3);
        String to = "pg_temp." + table.get(3);
        String columns = table.get(4);
        work.add("CREATE TEMPORARY TABLE " + to + " (LIKE " + from
                + " INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS)");
        if (!table.get(5).isEmpty()) {
            work.add("ALTER TABLE " + to + " " + table.get(5));
        }
        if (!table.get(6).isEmpty()) {
            work.addAll(List.of(table.get(6).split(BETWEEN, -1)));
        }
        if (!columns.isEmpty()) {
            work.add("INSERT INTO " + to + " (" + columns + ") SELECT " + columns + " FROM " + from + " LIMIT "
                    + (MOST_ROWS + 1));
        }
        return true;
    }

    private void next(Queue<String> work, Consumer<Boolean> then) {
        String sql = work.poll();
        if (sql == null) {
            then.accept(true);
            return;
        }
        own.run(sql, result -> {
            if (result.error() != null || result.tag().equals("INSERT 0 " + (MOST_ROWS + 1))) {
                then.accept(false);
            } else {
                next(work, then);
            }
        });
    }

    /** A statement, changed so that it uses the copies. */
    String onCopies(String sql) {
        String changed = sql;
        for (Map.Entry<String, Set<String>> schema : tablesBySchema.entrySet()) {
            changed = Statements.moved(changed, schema.getKey(), schema.getValue(), "pg_temp");
        }
        return changed;
    }
}
