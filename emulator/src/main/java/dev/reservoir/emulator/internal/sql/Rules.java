package dev.reservoir.emulator.internal.sql;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.sql.SqlToken;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statements that Aurora DSQL refuses, and the messages that it uses. docs/emulator.md gives the source of each
 * rule. Never reads the catalog: PostgreSQL checks everything that depends on the tables.
 */
final class Rules {
    static final String UNSUPPORTED = "0A000";

    /** Statements that DSQL refuses because of their first word, each with the name that the message uses. */
    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("truncate", "Truncate"),
            Map.entry("listen", "Listen"),
            Map.entry("unlisten", "Unlisten"),
            Map.entry("notify", "Notify"),
            Map.entry("merge", "Merge"),
            Map.entry("lock", "Lock"),
            Map.entry("declare", "DeclareCursor"),
            Map.entry("fetch", "Fetch"),
            Map.entry("move", "Fetch"),
            Map.entry("close", "ClosePortal"),
            Map.entry("discard", "Discard"),
            Map.entry("do", "Do"));

    private static final Set<String> PARAMETERS =
            Set.of("role", "client_min_messages", "default_transaction_isolation", "transaction_isolation");

    /** Functions whose first argument is the name of a text search configuration. DSQL has no such configurations. */
    private static final Set<String> TEXT_SEARCH =
            Set.of("to_tsvector", "to_tsquery", "plainto_tsquery", "phraseto_tsquery", "websearch_to_tsquery");

    private static final Set<String> SHAPES = Set.of("line", "circle");

    private static final Set<String> ENDS_OF_FROM = Set.of(
            "where", "group", "having", "window", "order", "limit", "offset", "fetch", "for", "union", "intersect");

    private Rules() {}

    static PgError unsupported(String what) {
        return PgError.error(UNSUPPORTED, "unsupported statement: " + what);
    }

    static PgError refused(String message) {
        return PgError.error(UNSUPPORTED, message);
    }

    /** The reason why DSQL refuses a statement, or null if DSQL accepts it. */
    static @Nullable PgError refusal(SqlTokens tokens) {
        SqlToken first = tokens.get(0);
        if (first.kind() != SqlToken.Kind.WORD && !first.isSymbol("(")) {
            return null;
        }
        String name = first.kind() == SqlToken.Kind.WORD ? REFUSED.get(first.text()) : null;
        if (name != null) {
            return unsupported(name);
        }
        return switch (first.text()) {
            case "set" -> setting(tokens);
            case "begin", "start" -> isolation(tokens);
            case "savepoint", "release" -> transaction(first.text().toUpperCase(Locale.ROOT));
            case "rollback" -> tokens.has("to") ? transaction("ROLLBACK TO") : null;
            case "vacuum" -> refused("unsupported VACUUM statement");
            case "create" -> CreateRules.refusal(tokens);
            case "alter" -> AlterRules.refusal(tokens);
            case "drop" -> tokens.at(1, "type") ? refused("unsupported object in DROP statement") : null;
            default -> query(tokens);
        };
    }

    private static PgError transaction(String what) {
        return refused("unsupported transaction statement: " + what);
    }

    private static @Nullable PgError setting(SqlTokens tokens) {
        if (tokens.at(1, "session", "characteristics")) {
            return parameter("default_transaction_isolation");
        }
        int at = tokens.at(1, "session") || tokens.at(1, "local") ? 2 : 1;
        if (tokens.at(at, "transaction")) {
            PgError level = isolation(tokens);
            return level != null ? level : parameter("TRANSACTION");
        }
        return tokens.anyAt(at, PARAMETERS) ? parameter(tokens.get(at).text()) : null;
    }

    private static PgError parameter(String name) {
        return refused("setting configuration parameter \"" + name + "\" not supported");
    }

    /** Refuses every isolation level except REPEATABLE READ, the only level of DSQL. */
    private static @Nullable PgError isolation(SqlTokens tokens) {
        int level = tokens.find("isolation", 1) + 2;
        if (level < 3 || level >= tokens.size() || tokens.at(level, "repeatable", "read")) {
            return null;
        }
        int last = tokens.at(level, "read") ? Math.min(level + 1, tokens.size() - 1) : level;
        return refused(
                "Unsupported isolation level: " + tokens.text(level, last).toUpperCase(Locale.ROOT));
    }

    private static @Nullable PgError query(SqlTokens tokens) {
        if (tokens.at(0, "select") && tokens.find("into", 1) > 0) {
            return unsupported("CreateTableAs");
        }
        for (int i = 0; i < tokens.size(); i++) {
            PgError refusal = tokens.at(i, "for") ? locking(tokens, i) : call(tokens, i);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    private static @Nullable PgError call(SqlTokens tokens, int at) {
        if (tokens.at(at, "tablesample")) {
            return refused("TABLESAMPLE clause not supported");
        }
        if (!tokens.symbolAt(at + 1, "(")) {
            return null;
        }
        if (tokens.anyAt(at, TEXT_SEARCH) && tokens.symbolAt(at + 3, ",")) {
            String configuration = tokens.text(at + 2, at + 2).replace("'", "");
            return PgError.error("42704", "text search configuration \"" + configuration + "\" does not exist");
        }
        if (at > 0 && tokens.at(at - 1, "select") && tokens.anyAt(at, SHAPES)) {
            return refused("datatype " + tokens.get(at).text() + " not supported");
        }
        return advisoryLock(tokens, at);
    }

    private static @Nullable PgError locking(SqlTokens tokens, int at) {
        if (tokens.at(at, "for", "share") || tokens.at(at, "for", "no", "key", "update")) {
            return refused("locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported");
        }
        if (tokens.at(at, "for", "update") && severalTables(tokens, at)) {
            return unsupported("FOR UPDATE on more than one table");
        }
        return null;
    }

    /** Whether the query that ends with this FOR UPDATE reads from more than one table. */
    private static boolean severalTables(SqlTokens tokens, int lock) {
        int depth = tokens.get(lock).depth();
        int from = -1;
        for (int i = lock - 1; i >= 0 && tokens.get(i).depth() >= depth; i--) {
            if (tokens.get(i).depth() == depth && tokens.get(i).is("from")) {
                from = i;
            }
        }
        for (int i = from + 1; from >= 0 && i < lock; i++) {
            SqlToken token = tokens.get(i);
            if (token.depth() == depth && (token.is("join") || token.isSymbol(","))) {
                return true;
            }
            if (token.depth() == depth && tokens.anyAt(i, ENDS_OF_FROM)) {
                return false;
            }
        }
        return false;
    }

    private static @Nullable PgError advisoryLock(SqlTokens tokens, int at) {
        SqlToken token = tokens.get(at);
        boolean named = token.isName()
                && (token.text().startsWith("pg_advisory_") || token.text().startsWith("pg_try_advisory_"));
        return named ? unsupported("advisory lock") : null;
    }
}
