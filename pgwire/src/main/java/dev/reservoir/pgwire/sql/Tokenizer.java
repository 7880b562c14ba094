package dev.reservoir.pgwire.sql;

import dev.reservoir.pgwire.sql.SqlToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Splits SQL into tokens as PostgreSQL does. Knows every kind of string, quoted names, dollar quotes and nested
 * comments. Never fails: an unterminated token extends to the end of the text, and PostgreSQL reports the error.
 */
public final class Tokenizer {
    private final String sql;
    private final List<SqlToken> tokens = new ArrayList<>();
    private int at;
    private int depth;

    private Tokenizer(String sql) {
        this.sql = sql;
    }

    /** The tokens of a text, without space and comments. */
    public static List<SqlToken> tokens(String sql) {
        Tokenizer tokenizer = new Tokenizer(sql);
        while (tokenizer.at < sql.length()) {
            tokenizer.next();
        }
        return tokenizer.tokens;
    }

    private void next() {
        char c = sql.charAt(at);
        if (Character.isWhitespace(c)) {
            at++;
        } else if (looking("--")) {
            int end = sql.indexOf('\n', at);
            at = end < 0 ? sql.length() : end + 1;
        } else if (looking("/*")) {
            skipComment();
        } else if (c == '\'') {
            string(at, false);
        } else if (c == '"') {
            quotedName(at);
        } else if (c == '$') {
            dollar();
        } else if (isNameStart(c)) {
            word();
        } else if (isDigit(c)) {
            number();
        } else {
            symbol(c);
        }
    }

    private boolean looking(String start) {
        return sql.startsWith(start, at);
    }

    private void skipComment() {
        int open = 0;
        do {
            if (looking("/*")) {
                open++;
                at += 2;
            } else if (looking("*/")) {
                open--;
                at += 2;
            } else {
                at++;
            }
        } while (open > 0 && at < sql.length());
    }

    /**
     * Reads a string from its opening quote on. {@code start} is where the token begins; a letter may stand before the
     * quote.
     */
    private void string(int start, boolean backslashes) {
        at++;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == '\\' && backslashes) {
                at = Math.min(at + 2, sql.length());
            } else if (looking("''")) {
                at += 2;
            } else {
                at++;
                if (c == '\'') {
                    break;
                }
            }
        }
        add(Kind.STRING, "'", start);
    }

    private void quotedName(int start) {
        at++;
        StringBuilder name = new StringBuilder();
        while (at < sql.length()) {
            if (looking("\"\"")) {
                name.append('"');
                at += 2;
            } else if (sql.charAt(at) == '"') {
                at++;
                break;
            } else {
                name.append(sql.charAt(at++));
            }
        }
        add(Kind.QUOTED_NAME, name.toString(), start);
    }

    private void dollar() {
        int start = at;
        int end = at + 1;
        if (end < sql.length() && isDigit(sql.charAt(end))) {
            while (end < sql.length() && isDigit(sql.charAt(end))) {
                end++;
            }
            at = end;
            add(Kind.PARAMETER, sql.substring(start, at), start);
            return;
        }
        while (end < sql.length() && isNamePart(sql.charAt(end)) && sql.charAt(end) != '$') {
            end++;
        }
        if (end >= sql.length() || sql.charAt(end) != '$') {
            at = start + 1;
            add(Kind.SYMBOL, "$", start);
            return;
        }
        String tag = sql.substring(start, end + 1);
        int close = sql.indexOf(tag, end + 1);
        at = close < 0 ? sql.length() : close + tag.length();
        add(Kind.STRING, "'", start);
    }

    private void word() {
        int start = at;
        while (at < sql.length() && isNamePart(sql.charAt(at))) {
            at++;
        }
        String text = sql.substring(start, at).toLowerCase(Locale.ROOT);
        boolean quote = at < sql.length() && sql.charAt(at) == '\'';
        if (quote && (text.equals("e") || text.equals("b") || text.equals("x") || text.equals("n"))) {
            string(start, text.equals("e"));
        } else if (text.equals("u") && looking("&'")) {
            at++;
            string(start, false);
        } else if (text.equals("u") && looking("&\"")) {
            at++;
            quotedName(start);
        } else {
            add(Kind.WORD, text, start);
        }
    }

    private void number() {
        int start = at;
        while (at < sql.length() && (isNamePart(sql.charAt(at)) || sql.charAt(at) == '.')) {
            at++;
        }
        add(Kind.NUMBER, sql.substring(start, at), start);
    }

    private void symbol(char c) {
        int start = at++;
        if (c == ')') {
            depth = Math.max(0, depth - 1);
        }
        add(Kind.SYMBOL, String.valueOf(c), start);
        if (c == '(') {
            depth++;
        }
    }

    private void add(Kind kind, String text, int start) {
        tokens.add(new SqlToken(kind, text, start, at, depth));
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    }

    private static boolean isNamePart(char c) {
        return isNameStart(c) || isDigit(c) || c == '$';
    }
}
