package dev.reservoir.emulator.internal.sql;

import dev.reservoir.emulator.internal.wire.Problem;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which statements Aurora DSQL refuses, and in which words; docs/emulator.md says where each is known from. Never looks at the
 * catalog: what depends on the tables themselves is left to PostgreSQL.
 */
final class Rules {
    static final String UNSUPPORTED = "0A000";

    /** Statements that are refused for their first word, by the name that the message gives them. */
    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("truncate", "Truncate"),
            Map.entry("listen", "Listen"),
            Map.entry("unlisten", "Unlisten"),
            Map.entry("notify", "Notify"),
            Map.entry("vacuum", "Vacuum"),
            Map.entry("merge", "Merge"),
            Map.entry("savepoint", "Savepoint"),
            Map.entry("release", "Savepoint"),
            Map.entry("lock", "Lock"),
            Map.entry("declare", "DeclareCursor"),
            Map.entry("fetch", "Fetch"),
            Map.entry("move", "Fetch"),
            Map.entry("close", "ClosePortal"),
            Map.entry("discard", "Discard"),
            Map.entry("do", "Do"));

    private static final Set<String> PARAMETERS =
            Set.of("role", "client_min_messages", "default_transaction_isolation", "transaction_isolation");

    private static final Set<String> ENDS_OF_FROM = Set.of(
            "where", "group", "having", "window", "order", "limit", "offset", "fetch", "for", "union", "intersect");

    private Rules() {}

    static Problem unsupported(String what) {
        return Problem.error(UNSUPPORTED, "unsupported statement: " + what);
    }

    static Problem refused(String message) {
        return Problem.error(UNSUPPORTED, message);
    }

    /** Why DSQL would not take a statement; null if it would. */
    static @Nullable Problem refusal(Tokens tokens) {
        Token first = tokens.get(0);
        if (first.kind() != Token.Kind.WORD && !first.isSymbol("(")) {
            return null;
        }
        String name = first.kind() == Token.Kind.WORD ? REFUSED.get(first.text()) : null;
        if (name != null) {
            return unsupported(name);
        }
        return switch (first.text()) {
            case "set" -> setting(tokens);
            case "begin", "start" -> begin(tokens);
            case "rollback" -> tokens.has("to") ? unsupported("Savepoint") : null;
            case "create" -> CreateRules.refusal(tokens);
            case "alter" -> AlterRules.refusal(tokens);
            default -> query(tokens);
        };
    }

    private static @Nullable Problem setting(Tokens tokens) {
        if (tokens.at(1, "session", "characteristics")) {
            return parameter("default_transaction_isolation");
        }
        int at = tokens.at(1, "session") || tokens.at(1, "local") ? 2 : 1;
        if (tokens.at(at, "transaction")) {
            return unsupported("SET TRANSACTION");
        }
        return tokens.anyAt(at, PARAMETERS) ? parameter(tokens.get(at).text()) : null;
    }

    private static Problem parameter(String name) {
        return refused("setting configuration parameter \"" + name + "\" not supported");
    }

    private static @Nullable Problem begin(Tokens tokens) {
        int level = tokens.find("isolation", 1);
        if (level < 0 || tokens.at(level, "isolation", "level", "repeatable", "read")) {
            return null;
        }
        return unsupported(tokens.text(0, tokens.size() - 1));
    }

    private static @Nullable Problem query(Tokens tokens) {
        if (tokens.at(0, "select") && tokens.find("into", 1) > 0) {
            return unsupported("CreateTableAs");
        }
        for (int i = 0; i < tokens.size(); i++) {
            Problem refusal = tokens.at(i, "for") ? locking(tokens, i) : advisoryLock(tokens, i);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    private static @Nullable Problem locking(Tokens tokens, int at) {
        if (tokens.at(at, "for", "share") || tokens.at(at, "for", "no", "key", "update")) {
            return refused("locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported");
        }
        if (tokens.at(at, "for", "update") && severalTables(tokens, at)) {
            return unsupported("FOR UPDATE on more than one table");
        }
        return null;
    }

    /** Whether the query that ends with this FOR UPDATE reads from more than one table. */
    private static boolean severalTables(Tokens tokens, int lock) {
        int depth = tokens.get(lock).depth();
        int from = -1;
        for (int i = lock - 1; i >= 0 && tokens.get(i).depth() >= depth; i--) {
            if (tokens.get(i).depth() == depth && tokens.get(i).is("from")) {
                from = i;
            }
        }
        for (int i = from + 1; from >= 0 && i < lock; i++) {
            Token token = tokens.get(i);
            if (token.depth() == depth && (token.is("join") || token.isSymbol(","))) {
                return true;
            }
            if (token.depth() == depth && tokens.anyAt(i, ENDS_OF_FROM)) {
                return false;
            }
        }
        return false;
    }

    private static @Nullable Problem advisoryLock(Tokens tokens, int at) {
        Token token = tokens.get(at);
        boolean named = token.isName()
                && (token.text().startsWith("pg_advisory_") || token.text().startsWith("pg_try_advisory_"));
        return named && tokens.symbolAt(at + 1, "(") ? unsupported("advisory lock") : null;
    }
}
