package dev.reservoir.pgwire.sql;

/**
 * One token of an SQL text.
 *
 * @param kind the kind of the token
 * @param text a word in lower case, a quoted name without its quotes, a string without its content, any other token as
 *     written
 * @param start the position of its first character
 * @param end the position after its last character
 * @param depth the number of parentheses that are open around it
 */
public record SqlToken(Kind kind, String text, int start, int end, int depth) {

    public enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        NUMBER,
        PARAMETER,
        SYMBOL
    }

    public boolean is(String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    public boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    public boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED_NAME;
    }
}
