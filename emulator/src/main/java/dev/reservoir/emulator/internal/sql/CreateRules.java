package dev.reservoir.emulator.internal.sql;

import dev.reservoir.pgwire.PgError;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules for CREATE: which forms DSQL refuses, and with which message. */
final class CreateRules {
    private static final Set<String> TEMPORARY = Set.of("temp", "temporary");

    /** The objects that DSQL cannot create, each with the name that the message uses. */
    private static final Map<String, String> REFUSED = Map.of(
            "materialized", "CreateTableAs",
            "event", "CreateEventTrig",
            "extension", "CreateExtension",
            "policy", "CreatePolicy",
            "foreign", "CreateForeignTable",
            "tablespace", "CreateTableSpace",
            "database", "Createdb");

    private CreateRules() {}

    static @Nullable PgError refusal(SqlTokens tokens) {
        int at = tokens.skip(1, "or", "replace");
        if (tokens.at(at, "global") || tokens.at(at, "local")) {
            at++;
        }
        if (tokens.anyAt(at, TEMPORARY)) {
            return Rules.refused("TEMPORARY or TEMP table not supported for CREATE TABLE");
        } else if (tokens.at(at, "unlogged")) {
            return Rules.refused("UNLOGGED table not supported for CREATE TABLE");
        } else if (tokens.at(at, "trigger") || tokens.at(at, "constraint", "trigger")) {
            return Rules.refused("CREATE TRIGGER not supported");
        } else if (tokens.at(at, "type")) {
            return type(tokens, tokens.afterName(at + 1));
        }
        String refused = at < tokens.size() ? REFUSED.get(tokens.get(at).text()) : null;
        if (refused != null) {
            return Rules.unsupported(refused);
        }
        if (tokens.at(at, "procedure")) {
            return Rules.refused("PROCEDURE is not supported");
        } else if (tokens.at(at, "function")) {
            return function(tokens);
        } else if (tokens.at(at, "table")) {
            return table(tokens, at + 1);
        } else if (tokens.at(at, "index") || tokens.at(at, "unique", "index")) {
            return index(tokens, tokens.skip(at, "unique") + 1);
        } else if (tokens.at(at, "sequence")) {
            return sequence(tokens);
        }
        return null;
    }

    private static @Nullable PgError function(SqlTokens tokens) {
        int language = tokens.find("language", 1);
        boolean plain = language < 0 || tokens.at(language, "language", "sql");
        if (plain || language + 1 >= tokens.size()) {
            return null;
        }
        String name = tokens.get(language + 1).text();
        return Rules.refused("CREATE FUNCTION with language " + name + " not supported");
    }

    private static PgError type(SqlTokens tokens, int as) {
        if (tokens.at(as, "as", "range")) {
            return Rules.unsupported("CreateRange");
        }
        boolean composite = tokens.at(as, "as") && tokens.symbolAt(as + 1, "(");
        return composite ? Rules.unsupported("CompositeType") : Rules.refused("CREATE TYPE not supported");
    }

    private static @Nullable PgError table(SqlTokens tokens, int at) {
        int name = tokens.skip(at, "if", "not", "exists");
        int open = tokens.afterName(name);
        if (tokens.find("as", name + 1) > 0) {
            return Rules.unsupported("CreateTableAs");
        } else if (tokens.at(open, "partition", "of")) {
            return Rules.refused("PARTITION OF not supported for CREATE TABLE");
        } else if (!tokens.symbolAt(open, "(")) {
            return null;
        }
        int close = tokens.closing(open);
        for (String clause : new String[] {"partition", "inherits", "tablespace", "with"}) {
            if (tokens.find(clause, close) > 0) {
                return Rules.refused(clause.toUpperCase(java.util.Locale.ROOT) + " not supported for CREATE TABLE");
            }
        }
        return ColumnRules.columns(tokens, open + 1, close);
    }

    private static @Nullable PgError index(SqlTokens tokens, int at) {
        if (tokens.at(at, "concurrently")) {
            return Rules.refused("CONCURRENTLY not supported for CREATE INDEX");
        }
        int on = tokens.find("on", at);
        if (tokens.find("using", Math.max(on, at)) > 0) {
            return Rules.refused("USING not supported for CREATE INDEX");
        }
        if (!tokens.at(at, "async")) {
            return Rules.refused("unsupported mode. please use CREATE INDEX ASYNC.");
        }
        int name = tokens.skip(at + 1, "if", "not", "exists");
        if (on > name && tokens.symbolAt(name + 1, ".")) {
            return PgError.error("42601", "syntax error at or near \".\"");
        }
        int open = tokens.afterName(on + 1);
        for (int i = open; tokens.symbolAt(open, "(") && i < tokens.closing(open); i++) {
            if (tokens.get(i).depth() == 1 && (tokens.at(i, "asc") || tokens.at(i, "desc"))) {
                return Rules.refused("specifying sort order not supported for index keys");
            }
        }
        return null;
    }

    private static @Nullable PgError sequence(SqlTokens tokens) {
        int type = tokens.find("as", 1);
        if (type > 0 && !tokens.at(type + 1, "bigint") && !tokens.at(type + 1, "int8")) {
            return Rules.refused("sequence type must be bigint");
        }
        return ColumnRules.cache(tokens, 1, tokens.size(), "CREATE SEQUENCE");
    }
}
