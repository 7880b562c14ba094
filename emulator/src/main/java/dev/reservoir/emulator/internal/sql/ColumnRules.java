package dev.reservoir.emulator.internal.sql;

import dev.reservoir.pgwire.PgError;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules for columns: DSQL refuses some types, arrays, collations, and identity columns without a cache size. */
final class ColumnRules {
    private static final Set<String> CONSTRAINTS =
            Set.of("constraint", "primary", "unique", "check", "foreign", "exclude", "like");

    private static final Set<String> SERIALS =
            Set.of("serial", "serial2", "serial4", "serial8", "bigserial", "smallserial");

    /** The names that DSQL's messages use for these types. */
    private static final Map<String, String> INTEGERS = Map.of("int", "integer", "int4", "integer", "int2", "smallint");

    private static final Set<String> TYPES =
            Set.of(("money xml inet cidr macaddr macaddr8 point line lseg box path polygon circle tsvector "
                            + "tsquery int4range int8range numrange tsrange tstzrange daterange int4multirange "
                            + "int8multirange nummultirange tsmultirange tstzmultirange datemultirange bit varbit")
                    .split(" ", -1));

    private ColumnRules() {}

    /** Checks the columns of a table. The range lies between the parentheses and includes constraints. */
    static @Nullable PgError columns(SqlTokens tokens, int from, int to) {
        int first = from;
        for (int i = from; i <= to && i <= tokens.size(); i++) {
            boolean ends = i == to || (tokens.symbolAt(i, ",") && tokens.get(i).depth() == 1);
            if (!ends) {
                continue;
            }
            PgError refusal = first < i && !tokens.anyAt(first, CONSTRAINTS) ? column(tokens, first + 1, i) : null;
            if (refusal != null) {
                return refusal;
            }
            first = i + 1;
        }
        return null;
    }

    /** Checks one column, from its type to its end. */
    static @Nullable PgError column(SqlTokens tokens, int type, int to) {
        PgError refusal = type(tokens, type, to);
        if (refusal != null) {
            return refusal;
        }
        for (int i = type; i < to; i++) {
            if (tokens.at(i, "collate")) {
                return Rules.refused("COLLATE not supported");
            }
            if (tokens.at(i, "as", "identity")) {
                return identity(tokens, type, i, to);
            }
        }
        return null;
    }

    private static @Nullable PgError type(SqlTokens tokens, int type, int to) {
        if (type >= to) {
            return null;
        }
        int name = tokens.symbolAt(type + 1, ".") ? type + 2 : type;
        if (tokens.anyAt(name, SERIALS)) {
            return PgError.error("42704", "type \"" + tokens.get(name).text() + "\" does not exist");
        }
        int depth = tokens.get(type).depth();
        for (int i = type; i < to && !tokens.anyAt(i, Set.of("default", "check", "generated")); i++) {
            if (tokens.get(i).depth() == depth && (tokens.symbolAt(i, "[") || tokens.at(i, "array"))) {
                int last = tokens.symbolAt(i, "[") ? Math.min(i + 1, to - 1) : i;
                return Rules.refused("datatype " + tokens.text(type, last) + " not supported");
            }
        }
        return tokens.anyAt(name, TYPES)
                ? Rules.refused("datatype " + tokens.get(name).text() + " not supported")
                : null;
    }

    private static @Nullable PgError identity(SqlTokens tokens, int type, int at, int to) {
        if (!tokens.at(type, "bigint") && !tokens.at(type, "int8")) {
            String name = INTEGERS.getOrDefault(tokens.get(type).text(), tokens.text(type, type));
            return Rules.refused("datatype " + name + " not supported, identity column type must be bigint");
        }
        return cache(tokens, at, to, "identity column");
    }

    /** A sequence must set its cache, the count of numbers that a session takes at once: 1, or at least 65536. */
    static @Nullable PgError cache(SqlTokens tokens, int from, int to, String what) {
        for (int i = from; i + 1 < to; i++) {
            if (tokens.at(i, "cache")) {
                return cacheSize(tokens.get(i + 1).text());
            }
        }
        return Rules.refused(what + " is not supported without an explicit cache size. "
                + "please define CACHE greater than or equal to 65536 or equal to 1");
    }

    private static @Nullable PgError cacheSize(String size) {
        boolean allowed = size.equals("1") || (size.matches("\\d{1,18}") && Long.parseLong(size) >= 65536);
        return allowed ? null : Rules.refused("cache size " + size + " not supported; use 1 or at least 65536");
    }
}
