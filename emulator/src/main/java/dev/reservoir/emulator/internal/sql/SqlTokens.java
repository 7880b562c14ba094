package dev.reservoir.emulator.internal.sql;

import dev.reservoir.pgwire.sql.SqlToken;
import java.util.List;
import java.util.Set;

/** The tokens of one statement, read by position. A position past the end holds no token and is not an error. */
final class SqlTokens {
    private final String sql;
    private final List<SqlToken> tokens;

    SqlTokens(String sql, List<SqlToken> tokens) {
        this.sql = sql;
        this.tokens = tokens;
    }

    int size() {
        return tokens.size();
    }

    SqlToken get(int index) {
        return tokens.get(index);
    }

    /** Whether these words follow each other from this position on. */
    boolean at(int index, String... words) {
        for (int i = 0; i < words.length; i++) {
            if (index + i >= size() || !get(index + i).is(words[i])) {
                return false;
            }
        }
        return index >= 0;
    }

    boolean symbolAt(int index, String symbol) {
        return index >= 0 && index < size() && get(index).isSymbol(symbol);
    }

    boolean nameAt(int index) {
        return index >= 0 && index < size() && get(index).isName();
    }

    boolean anyAt(int index, Set<String> words) {
        return index >= 0
                && index < size()
                && get(index).kind() == SqlToken.Kind.WORD
                && words.contains(get(index).text());
    }

    /** The first position from {@code from} on at which a word stands outside all parentheses, or -1. */
    int find(String word, int from) {
        return find(word, from, size(), 0);
    }

    /** The first position within a range at which a word stands at a depth of parentheses, or -1. */
    int find(String word, int from, int to, int depth) {
        for (int i = Math.max(0, from); i < to; i++) {
            if (get(i).depth() == depth && get(i).is(word)) {
                return i;
            }
        }
        return -1;
    }

    boolean has(String word) {
        return tokens.stream().anyMatch(token -> token.is(word));
    }

    /** The position that closes the parenthesis opened here, or the end if nothing closes it. */
    int closing(int open) {
        int depth = get(open).depth();
        for (int i = open + 1; i < size(); i++) {
            if (get(i).isSymbol(")") && get(i).depth() == depth) {
                return i;
            }
        }
        return size();
    }

    /** The position after a name with an optional schema. */
    int afterName(int index) {
        int next = index + 1;
        while (symbolAt(next, ".")) {
            next += 2;
        }
        return next;
    }

    /** The position after these words if all of them stand here, or the same position if not. */
    int skip(int index, String... words) {
        return at(index, words) ? index + words.length : index;
    }

    /** The text from the first token to the last, both included. */
    String text(int first, int last) {
        return sql.substring(get(first).start(), get(last).end());
    }
}
