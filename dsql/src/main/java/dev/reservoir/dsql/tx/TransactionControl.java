package dev.reservoir.dsql.tx;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the statements in a text of SQL that begin, end or divide a transaction, in PostgreSQL's syntax: {@code COMMIT}, {@code ROLLBACK TO} and so
 * on, first or after others, behind any comments. Looks at the first words of each statement only, and so has to know where statements end: not
 * within quotes, comments, dollar quotes, and the bodies of functions that are written as {@code BEGIN ATOMIC ... END}.
 */
final class TransactionControl {
    private static final Set<String> ALONE =
            Set.of("COMMIT", "END", "ROLLBACK", "ABORT", "BEGIN", "SAVEPOINT", "RELEASE");

    /** Words that control transactions only if this one follows. */
    private static final String TRANSACTION = "TRANSACTION";

    private static final Set<String> BEFORE_TRANSACTION = Set.of("START", "PREPARE");

    private final String sql;
    private int at;

    private TransactionControl(String sql) {
        this.sql = sql;
    }

    /** The words that control a transaction, such as {@code COMMIT} or {@code START TRANSACTION}; null if there are none. */
    static @Nullable String in(String sql) {
        TransactionControl control = new TransactionControl(sql);
        while (control.at < sql.length()) {
            String found = control.statement();
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Reads one statement up to its semicolon, or until it is found to control the transaction. */
    private @Nullable String statement() {
        String first = word();
        if (ALONE.contains(first)) {
            return first;
        }
        if (BEFORE_TRANSACTION.contains(first)) {
            String second = word();
            if (second.equals(TRANSACTION)) {
                return first + " " + second;
            }
        }
        skipRest(first.equals("CREATE"));
        return null;
    }

    /** The next word in capital letters; empty if something else comes next, of which nothing is read. */
    private String word() {
        skipBlanks();
        int from = at;
        while (at < sql.length() && isPartOfWord(sql.charAt(at))) {
            at++;
        }
        return sql.substring(from, at).toUpperCase(Locale.ROOT);
    }

    private static boolean isPartOfWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$';
    }

    /** Goes past white space and comments. */
    private void skipBlanks() {
        while (at < sql.length()) {
            if (Character.isWhitespace(sql.charAt(at))) {
                at++;
            } else if (!skipComment()) {
                return;
            }
        }
    }

    private boolean skipComment() {
        if (sql.startsWith("--", at)) {
            int end = sql.indexOf('\n', at);
            at = end < 0 ? sql.length() : end + 1;
            return true;
        }
        if (sql.startsWith("/*", at)) {
            skipBlockComment();
            return true;
        }
        return false;
    }

    /** PostgreSQL's comments may hold others. */
    private void skipBlockComment() {
        int depth = 0;
        do {
            if (sql.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (sql.startsWith("*/", at)) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0 && at < sql.length());
    }

    /** Goes past the statement's semicolon, or to the end of the text. */
    private void skipRest(boolean mayHaveBody) {
        String before = "";
        int bodies = 0;
        while (at < sql.length()) {
            skipBlanks();
            if (at == sql.length()) {
                return;
            }
            char c = sql.charAt(at);
            if (c == ';') {
                at++;
                if (bodies == 0) {
                    return;
                }
            } else if (c == '\'' || c == '"') {
                skipQuoted(c, c == '\'' && before.equals("E") && isPartOfWord(sql.charAt(at - 1)));
            } else if (c == '$' && skipDollarQuoted()) {
                continue;
            } else if (isPartOfWord(c)) {
                String word = word();
                if (mayHaveBody) {
                    bodies += bodiesBegun(bodies, before, word);
                }
                before = word;
                continue;
            } else {
                at++;
            }
            before = "";
        }
    }

    /** 1 where a body begins, or a CASE in it, -1 where one of those ends. */
    private static int bodiesBegun(int open, String before, String word) {
        if (open == 0) {
            return before.equals("BEGIN") && word.equals("ATOMIC") ? 1 : 0;
        }
        return word.equals("CASE") ? 1 : word.equals("END") ? -1 : 0;
    }

    /** A quote in the text is written twice, or behind a backslash if those have a meaning. */
    private void skipQuoted(char quote, boolean backslashes) {
        at++;
        while (at < sql.length()) {
            char c = sql.charAt(at++);
            if (c == '\\' && backslashes) {
                at++;
            } else if (c == quote) {
                if (at == sql.length() || sql.charAt(at) != quote) {
                    return;
                }
                at++;
            }
        }
        at = sql.length();
    }

    /** Goes past {@code $tag$ ... $tag$}; false if it is a parameter such as {@code $1}. */
    private boolean skipDollarQuoted() {
        int end = at + 1;
        while (end < sql.length() && sql.charAt(end) != '$' && isPartOfWord(sql.charAt(end))) {
            end++;
        }
        boolean isTag = end < sql.length() && sql.charAt(end) == '$' && !Character.isDigit(sql.charAt(at + 1));
        if (!isTag) {
            return false;
        }
        String tag = sql.substring(at, end + 1);
        int close = sql.indexOf(tag, end + 1);
        at = close < 0 ? sql.length() : close + tag.length();
        return true;
    }
}
