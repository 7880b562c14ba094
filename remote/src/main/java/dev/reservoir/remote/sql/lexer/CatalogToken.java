package dev.reservoir.remote.sql.lexer;

import java.util.Locale;

/**
 * A token of a statement.
 *
 * @param text the name of an identifier, the contents of a string, the digits of a number, the character of a symbol,
 *     or what is wrong with an invalid token
 * @param line counts from 1
 * @param column counts characters from 1
 * @param offset counts characters of the whole text from 0
 */
public record CatalogToken(Kind kind, String text, int line, int column, int offset) {
    /** The kinds of tokens. */
    public enum Kind {
        /** An identifier without quotes, as it was written. */
        WORD("a word"),
        QUOTED_IDENTIFIER("an identifier in quotes"),
        STRING("a string"),
        NUMBER("a number"),
        SYMBOL("a symbol"),
        INVALID("something else"),
        END("the end of the text");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    public boolean isSymbol(char symbol) {
        return kind == Kind.SYMBOL && text.charAt(0) == symbol;
    }

    public boolean isKeyword(String keyword) {
        return kind == Kind.WORD && text.equalsIgnoreCase(keyword);
    }

    public boolean isIdentifier() {
        return kind == Kind.WORD || kind == Kind.QUOTED_IDENTIFIER;
    }

    /** The name of an identifier. Without quotes it does not depend on upper and lower case. */
    public String name() {
        return kind == Kind.WORD ? text.toLowerCase(Locale.ROOT) : text;
    }

    /** The token as a message shows it. The contents of strings are never shown, because they may be secrets. */
    public String shown() {
        return switch (kind) {
            case WORD, NUMBER, SYMBOL -> "\"" + (text.length() <= 64 ? text : text.substring(0, 64) + "...") + "\"";
            case INVALID -> text;
            case QUOTED_IDENTIFIER, STRING, END -> kind.label();
        };
    }

    /** Hides the text, because the token may be a part of a secret. */
    @Override
    public String toString() {
        return kind.label() + " at line " + line + ", column " + column;
    }
}
