package dev.reservoir.remote.sys;

import dev.reservoir.remote.sql.lexer.CatalogLexer;
import dev.reservoir.remote.sql.lexer.CatalogToken;
import dev.reservoir.remote.sql.lexer.CatalogToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Translates what clients of PostgreSQL write and H2 does not understand: {@code OPERATOR(pg_catalog.~)},
 * {@code COLLATE pg_catalog.default}, strings such as {@code E'\n'}, and names in {@code pg_catalog} that
 * {@link PgCatalog} has. Leaves everything else as it is.
 */
final class PostgresSyntax {
    private static final String CATALOG = "pg_catalog";

    /** The types of casts. */
    private static final Map<String, String> TYPES = Map.of("regtype", "varchar", "text", "varchar", "oid", "integer");

    /**
     * Functions of a table's number, a type, an owner, an encoding or a list of privileges. {@link PgCatalog} holds the
     * result in place of the argument. A number other than zero is true, so every table is visible.
     */
    private static final Set<String> FIRST_ARGUMENT = Set.of(
            "pg_get_userbyid",
            "format_type",
            "pg_table_is_visible",
            "pg_encoding_to_char",
            "array_to_string",
            "pg_get_expr");

    /** Returns the first of its arguments that is not null. The columns in question hold no null. */
    private static final String RETURN_FIRST = "coalesce";

    /** Bounds the tokens that are looked at. The rest of a longer text stays as it is. */
    private static final int TOKENS_MAX = 100_000;

    private final String sql;
    private final List<CatalogToken> tokens = new ArrayList<>();
    private final StringBuilder translated = new StringBuilder();
    private int copied;

    private PostgresSyntax(String sql) {
        this.sql = sql;
        CatalogLexer lexer = new CatalogLexer(sql);
        CatalogToken token = lexer.next();
        while (token.kind() != Kind.END && tokens.size() < TOKENS_MAX) {
            tokens.add(token);
            token = lexer.next();
        }
    }

    static String toH2(String sql) {
        return new PostgresSyntax(sql).translate();
    }

    private String translate() {
        int i = 0;
        while (i < tokens.size()) {
            i += translateAt(i);
        }
        return translated.append(sql, copied, sql.length()).toString();
    }

    /** Translates what begins at this token. Returns how many tokens it has. */
    private int translateAt(int i) {
        if (isKeyword(i, "OPERATOR") && isSymbol(i + 1, '(') && isCatalog(i + 2)) {
            int end = i + 4;
            while (end < tokens.size() && !isSymbol(end, ')')) {
                end++;
            }
            return replace(i, end + 1, sql.substring(offset(i + 4), offset(end)));
        }
        if (isKeyword(i, "COLLATE") && isCatalog(i + 1) && isKeyword(i + 3, "default")) {
            return replace(i, i + 4, "");
        }
        if (isKeyword(i, "E") && i + 1 < tokens.size() && tokens.get(i + 1).kind() == Kind.STRING) {
            String text = tokens.get(i + 1).text().replace("\\n", "\n").replace("'", "''");
            return offset(i + 1) == offset(i) + 1 ? replace(i, i + 2, "'" + text + "'") : 1;
        }
        return isCatalog(i) ? translateName(i, name(i + 2)) : 1;
    }

    private int translateName(int i, String name) {
        if (sql.startsWith("::", offset(i) - 2) && TYPES.containsKey(name)) {
            return replace(i, i + 3, TYPES.get(name));
        }
        if (isSymbol(i + 3, '(')) {
            return FIRST_ARGUMENT.contains(name) ? replace(i, i + 3, RETURN_FIRST) : 1;
        }
        return PgCatalog.has(name) ? replace(i, i + 3, PgCatalog.SCHEMA + "." + name) : 1;
    }

    /** Writes this text in place of the tokens from one to the other. Returns their number. */
    private int replace(int from, int to, String text) {
        translated.append(sql, copied, offset(from)).append(text).append(' ');
        copied = offset(to);
        return to - from;
    }

    private int offset(int i) {
        return i < tokens.size() ? tokens.get(i).offset() : sql.length();
    }

    /** Whether {@code pg_catalog} and a dot stand here. */
    private boolean isCatalog(int i) {
        return name(i).equals(CATALOG) && isSymbol(i + 1, '.');
    }

    private String name(int i) {
        return i < tokens.size() && tokens.get(i).isIdentifier() ? tokens.get(i).name() : "";
    }

    private boolean isKeyword(int i, String keyword) {
        return i < tokens.size() && tokens.get(i).isKeyword(keyword);
    }

    private boolean isSymbol(int i, char symbol) {
        return i < tokens.size() && tokens.get(i).isSymbol(symbol);
    }
}
