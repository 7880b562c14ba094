package dev.reservoir.dsql.tx;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds statements in SQL text that begin, end or divide a transaction, in PostgreSQL's syntax: {@code COMMIT},
 * {@code ROLLBACK TO} and so on. It finds them as the first or a later statement, and after comments.
 *
 * <p>It examines only the first words of each statement, so it must know where statements end. A semicolon ends no
 * statement inside quotes, comments, dollar quotes, or function bodies of the form {@code BEGIN ATOMIC ... END}. Never
 * checks any other syntax.
 */
final class TransactionControl {
    private static final Set<String> ALONE =
            Set.of("COMMIT", "END", "ROLLBACK", "ABORT", "BEGIN", "SAVEPOINT", "RELEASE");

    /** The word that must follow {@code START} or {@code PREPARE} for them to control a transaction. */
    private static final String TRANSACTION = "TRANSACTION";

    private static final Set<String> BEFORE_TRANSACTION = Set.of("START", "PREPARE");

    private final String sql;
    private int at;

    private TransactionControl(String sql) {
        this.sql = sql;
    }

    /** Returns the words that control a transaction, such as {@code START TRANSACTION}, or null. */
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

    /** Reads one statement up to its semicolon, or until it is known to control the transaction. */
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

    /** Returns the next word in upper case. Reads nothing and returns an empty string if something else comes next. */
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

    /** Skips white space and comments. */
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

    /** Skips a block comment. PostgreSQL's block comments may be nested. */
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

    /** Skips past the statement's semicolon, or to the end of the text. */
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

    /** Returns 1 where a body begins or a CASE inside a body begins, -1 where either ends, and 0 otherwise. */
    private static int bodiesBegun(int open, String before, String word) {
        if (open == 0) {
            return before.equals("BEGIN") && word.equals("ATOMIC") ? 1 : 0;
        }
        return word.equals("CASE") ? 1 : word.equals("END") ? -1 : 0;
    }

    /** Skips a quoted text. A quote inside it is doubled, or follows a backslash if backslashes are escapes. */
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

    /** Skips {@code $tag$ ... $tag$}. Returns false if it is a parameter such as {@code $1}. */
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
