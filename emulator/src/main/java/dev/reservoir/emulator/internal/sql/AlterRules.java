package dev.reservoir.emulator.internal.sql;

import dev.reservoir.pgwire.PgError;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules for ALTER: which forms DSQL refuses, and with which message. */
final class AlterRules {
    private static final Set<String> COLUMN_CONSTRAINTS =
            Set.of("not", "default", "check", "unique", "primary", "references", "generated", "constraint");
    private static final Set<String> TABLE_CONSTRAINTS = Set.of("constraint", "unique", "primary", "foreign", "check");

    private AlterRules() {}

    static @Nullable PgError refusal(SqlTokens tokens) {
        if (tokens.at(1, "system")) {
            return Rules.unsupported("AlterSystem");
        } else if (tokens.at(1, "type")) {
            boolean renames = tokens.at(tokens.afterName(2), "rename");
            return Rules.refused(renames ? "unsupported object in RENAME statement" : "ALTER TYPE not supported");
        } else if (!tokens.at(1, "table")) {
            return null;
        }
        boolean async = tokens.at(2, "async") && tokens.nameAt(3);
        int name = tokens.skip(tokens.skip(async ? 3 : 2, "if", "exists"), "only");
        int first = tokens.afterName(name);
        for (int i = first; i <= tokens.size(); i++) {
            boolean ends = i == tokens.size()
                    || (tokens.symbolAt(i, ",") && tokens.get(i).depth() == 0);
            if (ends) {
                PgError refusal = first < i ? action(tokens, first, i, async) : null;
                if (refusal != null) {
                    return refusal;
                }
                first = i + 1;
            }
        }
        return null;
    }

    /**
     * A check for a dropped column. DSQL refuses to drop a column of the primary key, and only the catalog knows those
     * columns.
     */
    static Statement.@Nullable Guard guard(SqlTokens tokens) {
        if (!tokens.at(0, "alter", "table")) {
            return null;
        }
        int name = tokens.skip(tokens.skip(2, "if", "exists"), "only");
        int drop = tokens.afterName(name);
        int column = tokens.skip(tokens.skip(drop + 1, "column"), "if", "exists");
        if (!tokens.at(drop, "drop") || tokens.at(drop + 1, "constraint") || !tokens.nameAt(column)) {
            return null;
        }
        String dropped = tokens.get(column).text();
        String query =
                "SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)"
                        + " WHERE i.indisprimary AND i.indrelid = to_regclass('"
                        + tokens.text(name, drop - 1).replace("'", "''") + "') AND a.attname = '"
                        + dropped.replace("'", "''") + "'";
        return new Statement.Guard(query, Rules.refused("cannot drop primary key column " + dropped));
    }

    private static @Nullable PgError action(SqlTokens tokens, int at, int to, boolean async) {
        if (tokens.at(at, "add")) {
            return tokens.anyAt(at + 1, TABLE_CONSTRAINTS)
                    ? constraint(tokens, at + 1, to)
                    : column(tokens, tokens.skip(tokens.skip(at + 1, "column"), "if", "not", "exists"), to);
        } else if (tokens.at(at, "alter")) {
            return alterColumn(tokens, tokens.skip(at + 1, "column") + 1);
        } else if (tokens.at(at, "validate") && !async) {
            return refused("VALIDATE CONSTRAINT");
        } else if (tokens.find("row", at, to, 0) > 0 && tokens.find("security", at, to, 0) > 0) {
            return refused("ROW LEVEL SECURITY");
        } else if (tokens.at(at, "inherit") || tokens.at(at, "set", "tablespace")) {
            return refused(tokens.text(at, at).toUpperCase(java.util.Locale.ROOT));
        } else if (tokens.at(at, "set") && tokens.symbolAt(at + 1, "(")) {
            return refused("SET");
        }
        return null;
    }

    private static @Nullable PgError constraint(SqlTokens tokens, int at, int to) {
        int kind = tokens.at(at, "constraint") ? at + 2 : at;
        boolean key = tokens.at(kind, "unique") || tokens.at(kind, "primary");
        boolean allowed = key ? tokens.find("using", kind, to, 0) > 0 : tokens.at(to - 2, "not", "valid");
        return allowed ? null : refused("ADD CONSTRAINT");
    }

    private static @Nullable PgError column(SqlTokens tokens, int name, int to) {
        for (int i = name + 1; i < to; i++) {
            if (tokens.get(i).depth() == 0 && tokens.anyAt(i, COLUMN_CONSTRAINTS)) {
                return Rules.refused("ALTER TABLE ADD COLUMN with constraint not supported");
            }
        }
        return ColumnRules.column(tokens, name + 1, to);
    }

    private static @Nullable PgError alterColumn(SqlTokens tokens, int at) {
        if (tokens.at(at, "type") || tokens.at(at, "set", "data", "type")) {
            return refused("ALTER COLUMN ... SET DATA TYPE");
        } else if (tokens.at(at, "set", "not", "null")) {
            return refused("ALTER COLUMN ... SET NOT NULL");
        } else if (tokens.at(at, "set", "statistics")) {
            return refused("ALTER COLUMN ... SET STATISTICS");
        }
        return null;
    }

    private static PgError refused(String what) {
        return Rules.refused("unsupported ALTER TABLE " + what + " statement");
    }
}
