package dev.reservoir.flightsql.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Splits SQL into words and signs. Leaves out comments and what is in quotes, since nothing in there is a keyword. A
 * quoted part becomes one sign, so that words around it do not join.
 */
final class SqlWords {
    /** Stands for a quoted part. */
    static final String QUOTED = "'";

    private final String sql;
    private final List<String> words = new ArrayList<>();
    private int at;

    private SqlWords(String sql) {
        this.sql = sql;
    }

    /** The words in upper case, and every other sign by itself. */
    static List<String> of(String sql) {
        SqlWords words = new SqlWords(sql);
        words.split();
        return words.words;
    }

    private void split() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (Character.isWhitespace(c)) {
                at++;
            } else if (sql.startsWith("--", at)) {
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end + 1;
            } else if (sql.startsWith("/*", at)) {
                skipComment();
            } else if (c == '\'' || c == '"' || c == '`') {
                skipQuoted(c);
            } else if (c == '$' && skipsDollarQuoted()) {
                words.add(QUOTED);
            } else if (isWordPart(c)) {
                addWord();
            } else {
                words.add(String.valueOf(c));
                at++;
            }
        }
    }

    private static boolean isWordPart(char c) {
        return c == '_' || Character.isLetterOrDigit(c);
    }

    private void addWord() {
        int begin = at;
        while (at < sql.length() && (isWordPart(sql.charAt(at)) || sql.charAt(at) == '$')) {
            at++;
        }
        words.add(sql.substring(begin, at).toUpperCase(Locale.ROOT));
    }

    /** Comments of PostgreSQL and DuckDB can contain comments. */
    private void skipComment() {
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

    /** A doubled quote is part of the text, and becomes two quoted parts here, which does no harm. */
    private void skipQuoted(char quote) {
        boolean escapes = !words.isEmpty()
                && words.get(words.size() - 1).equals("E")
                && at > 0
                && Character.toUpperCase(sql.charAt(at - 1)) == 'E';
        at++;
        while (at < sql.length() && sql.charAt(at) != quote) {
            at += escapes && sql.charAt(at) == '\\' ? 2 : 1;
        }
        at++;
        words.add(QUOTED);
    }

    private boolean skipsDollarQuoted() {
        int tagEnd = at + 1;
        while (tagEnd < sql.length() && isWordPart(sql.charAt(tagEnd))) {
            tagEnd++;
        }
        if (tagEnd >= sql.length() || sql.charAt(tagEnd) != '$' || Character.isDigit(sql.charAt(at + 1))) {
            return false;
        }
        String tag = sql.substring(at, tagEnd + 1);
        int end = sql.indexOf(tag, tagEnd + 1);
        at = end < 0 ? sql.length() : end + tag.length();
        return true;
    }
}
