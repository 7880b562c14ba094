package dev.reservoir.emulator.internal.sql;

import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.sql.SqlText;
import dev.reservoir.pgwire.sql.SqlToken;
import dev.reservoir.pgwire.sql.Tokenizer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Splits a text into statements. Finds out what each one does and whether DSQL accepts it. Never changes the meaning of
 * a statement.
 */
public final class Statements {
    /** The version of PostgreSQL that DSQL reports. */
    public static final String VERSION = "16";

    private static final Set<String> CHANGES_ROWS = Set.of("insert", "update", "delete");
    private static final Set<String> READS_ROWS = Set.of("select", "with");
    private static final Set<String> CHANGES_SCHEMA = Set.of("create", "alter", "drop");

    private Statements() {}

    /** The statements of a text, in order. The list is empty if the text holds only space and comments. */
    public static List<Statement> of(String sql) {
        return SqlText.split(sql).stream().map(text -> statement(sql, text)).toList();
    }

    private static Statement statement(String sql, SqlText found) {
        int start = found.offset();
        SqlTokens view = new SqlTokens(sql, found.tokens());
        PgError refusal = Rules.refusal(view);
        String text = blank(found.sql(), start, view);
        Kind kind = kind(view);
        if (isJob(view)) {
            String tag = view.at(0, "create") ? "CREATE INDEX" : "ALTER TABLE";
            return new Statement(text, start, kind, refusal, tag, true, null);
        }
        if (view.at(0, "show", "server_version")) {
            String answer = "SELECT '" + VERSION + "'::text AS server_version";
            return new Statement(answer, start, kind, refusal, "SHOW", false, null);
        }
        String words = view.at(0, "select") ? version(text, start, view) : text;
        return new Statement(words, start, kind, refusal, null, usesSys(view), AlterRules.guard(view));
    }

    private static boolean usesSys(SqlTokens tokens) {
        for (int i = 1; i + 1 < tokens.size(); i++) {
            if (tokens.at(i, "sys") && tokens.symbolAt(i + 1, ".")) {
                return true;
            }
        }
        return false;
    }

    /** Replaces a call of version() by DSQL's version. */
    private static String version(String text, int start, SqlTokens tokens) {
        for (int i = 1; i + 2 < tokens.size(); i++) {
            boolean call = tokens.at(i, "version")
                    && tokens.symbolAt(i + 1, "(")
                    && tokens.symbolAt(i + 2, ")")
                    && !tokens.symbolAt(i - 1, ".");
            if (call) {
                String name = tokens.at(i - 1, "select") && i + 3 == tokens.size() ? " AS version" : "";
                return text.substring(0, tokens.get(i).start() - start) + "'PostgreSQL " + VERSION + "'::text" + name
                        + text.substring(tokens.get(i + 2).end() - start);
            }
        }
        return text;
    }

    /**
     * Replaces the ASYNC of CREATE INDEX ASYNC and ALTER TABLE ASYNC by spaces, because PostgreSQL does not know that
     * word.
     */
    private static String blank(String text, int start, SqlTokens tokens) {
        if (!isJob(tokens)) {
            return text;
        }
        int async = tokens.at(0, "alter") ? 2 : tokens.skip(1, "unique") + 1;
        int from = tokens.get(async).start() - start;
        return text.substring(0, from) + "     " + text.substring(from + "async".length());
    }

    private static boolean isJob(SqlTokens tokens) {
        boolean createIndex = tokens.at(0, "create") && tokens.at(tokens.skip(1, "unique"), "index", "async");
        return createIndex || (tokens.at(0, "alter", "table", "async") && tokens.nameAt(3));
    }

    private static Kind kind(SqlTokens tokens) {
        SqlToken first = tokens.get(0);
        if (tokens.at(0, "begin") || tokens.at(0, "start", "transaction")) {
            return Kind.BEGIN;
        } else if (first.is("commit") || first.is("end")) {
            return Kind.COMMIT;
        } else if (first.is("rollback") || first.is("abort")) {
            return Kind.ROLLBACK;
        } else if (tokens.anyAt(0, CHANGES_SCHEMA)) {
            return Kind.DDL;
        } else if (tokens.anyAt(0, CHANGES_ROWS) || (first.is("copy") && tokens.find("from", 1) > 0)) {
            return Kind.DML;
        } else if (first.is("with") && changesRowsInside(tokens)) {
            return Kind.DML;
        }
        if (first.is("execute")) {
            return Kind.EXECUTE;
        }
        return locks(tokens) ? Kind.LOCKING : Kind.OTHER;
    }

    private static boolean locks(SqlTokens tokens) {
        if (!tokens.symbolAt(0, "(") && !tokens.anyAt(0, READS_ROWS)) {
            return false;
        }
        return IntStream.range(1, tokens.size())
                .anyMatch(i -> tokens.at(i, "for", "update") || tokens.at(i, "for", "key", "share"));
    }

    /** Every name in a text, of any kind of object: words in lower case, quoted names as written. */
    public static Set<String> names(String sql) {
        return Tokenizer.tokens(sql).stream()
                .filter(SqlToken::isName)
                .map(SqlToken::text)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The text with schema {@code to} in place of {@code schema} wherever it qualifies one of these tables. */
    public static String moved(String sql, String schema, Set<String> tables, String to) {
        List<SqlToken> all = Tokenizer.tokens(sql);
        StringBuilder moved = new StringBuilder(sql.length());
        int done = 0;
        for (int i = 0; i + 2 < all.size(); i++) {
            boolean named = all.get(i).isName()
                    && all.get(i).text().equals(schema)
                    && all.get(i + 1).isSymbol(".")
                    && all.get(i + 2).isName()
                    && tables.contains(all.get(i + 2).text());
            boolean isColumn = i > 0 && all.get(i - 1).isSymbol(".");
            if (named && !isColumn) {
                moved.append(sql, done, all.get(i).start()).append(to);
                done = all.get(i).end();
            }
        }
        return moved.append(sql, done, sql.length()).toString();
    }

    /** WITH may hold an INSERT, UPDATE or DELETE at the start of a parenthesis, or end in one. */
    private static boolean changesRowsInside(SqlTokens tokens) {
        for (int i = 1; i < tokens.size(); i++) {
            boolean begins = tokens.symbolAt(i - 1, "(") || tokens.symbolAt(i - 1, ")");
            if (begins && tokens.anyAt(i, CHANGES_ROWS)) {
                return true;
            }
        }
        return false;
    }
}
