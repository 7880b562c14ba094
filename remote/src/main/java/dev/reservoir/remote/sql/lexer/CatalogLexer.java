package dev.reservoir.remote.sql.lexer;

import dev.reservoir.remote.sql.lexer.CatalogToken.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Splits a text into tokens. Leaves out space and comments: {@code -- to the end of the line}, and those between slash
 * and asterisk, which may be nested. Never throws; a text that is no token becomes an invalid one.
 */
public final class CatalogLexer {
    private static final char END = '\0';
    private static final String SYMBOLS = "(),;.";

    private final String text;
    private int at;
    private int line = 1;
    private int lineStart;

    public CatalogLexer(String text) {
        this.text = text;
    }

    /** The next token. At the end, and from then on, the token of the end. */
    public CatalogToken next() {
        CatalogToken unclosed = skipSpaceAndComments();
        if (unclosed != null) {
            return unclosed;
        }
        CatalogToken start = here();
        if (at >= text.length()) {
            return start;
        }
        char first = text.charAt(at);
        if (first == '\'') {
            return quoted(start, '\'', Kind.STRING, "a string that does not end");
        }
        if (first == '"') {
            return quoted(start, '"', Kind.QUOTED_IDENTIFIER, "an identifier in quotes that does not end");
        }
        if (isLetter(first)) {
            return run(start, Kind.WORD);
        }
        if (isDigit(first) || ((first == '-' || first == '+') && isDigit(ahead(1)))) {
            return run(start, Kind.NUMBER);
        }
        int codePoint = text.codePointAt(at);
        at += Character.charCount(codePoint);
        return SYMBOLS.indexOf(first) >= 0
                ? token(start, Kind.SYMBOL, String.valueOf(first))
                : token(start, Kind.INVALID, "the character " + characterName(codePoint));
    }

    /** The end of the text at the current place, from which the token that begins there is made. */
    private CatalogToken here() {
        return new CatalogToken(Kind.END, "", line, at - lineStart + 1, at);
    }

    private static CatalogToken token(CatalogToken start, Kind kind, String text) {
        return new CatalogToken(kind, text, start.line(), start.column(), start.offset());
    }

    private @Nullable CatalogToken skipSpaceAndComments() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (Character.isWhitespace(c) || c == '\uFEFF') {
                advance();
            } else if (c == '-' && ahead(1) == '-') {
                while (at < text.length() && text.charAt(at) != '\n') {
                    advance();
                }
            } else if (c == '/' && ahead(1) == '*') {
                CatalogToken start = here();
                if (!skipBlockComment()) {
                    return token(start, Kind.INVALID, "a comment that does not end");
                }
            } else {
                return null;
            }
        }
        return null;
    }

    /** Returns false if the comment does not end. */
    private boolean skipBlockComment() {
        int depth = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '/' && ahead(1) == '*') {
                depth++;
                advance();
            } else if (c == '*' && ahead(1) == '/') {
                depth--;
                advance();
            }
            advance();
            if (depth == 0) {
                return true;
            }
        }
        return false;
    }

    /** A quote inside is written twice. */
    private CatalogToken quoted(CatalogToken start, char quote, Kind kind, String ifOpen) {
        StringBuilder contents = new StringBuilder();
        advance();
        while (at < text.length()) {
            char c = text.charAt(at);
            advance();
            if (c != quote) {
                contents.append(c);
            } else if (at < text.length() && text.charAt(at) == quote) {
                contents.append(quote);
                advance();
            } else {
                return token(start, kind, contents.toString());
            }
        }
        return token(start, Kind.INVALID, ifOpen);
    }

    private CatalogToken run(CatalogToken start, Kind kind) {
        int from = at;
        at++;
        while (at < text.length()
                && (isLetter(text.charAt(at)) || isDigit(text.charAt(at)) || text.charAt(at) == '$')) {
            at++;
        }
        return token(start, kind, text.substring(from, at));
    }

    private void advance() {
        if (text.charAt(at) == '\n') {
            line++;
            lineStart = at + 1;
        }
        at++;
    }

    private char ahead(int distance) {
        return at + distance < text.length() ? text.charAt(at + distance) : END;
    }

    private static boolean isLetter(char c) {
        return c == '_' || Character.isLetter(c);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static String characterName(int codePoint) {
        return codePoint > ' ' && codePoint < 127
                ? "\"" + Character.toString(codePoint) + "\""
                : String.format("U+%04X", codePoint);
    }
}
