package dev.reservoir.emulator.internal.sql;

/**
 * A piece of SQL.
 *
 * @param kind what it is
 * @param text words in lower case, quoted names without their quotes, strings without their content, all else as it stands
 * @param start where it begins in the text
 * @param end where the next character after it is
 * @param depth how many parentheses are open around it
 */
record SqlToken(Kind kind, String text, int start, int end, int depth) {

    enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        NUMBER,
        PARAMETER,
        SYMBOL
    }

    boolean is(String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED_NAME;
    }
}
