package dev.reservoir.remote.sql;

import dev.reservoir.core.util.NearestName;
import dev.reservoir.remote.sql.lexer.CatalogLexer;
import dev.reservoir.remote.sql.lexer.CatalogToken;
import dev.reservoir.remote.sql.lexer.CatalogToken.Kind;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a text with two tokens of look-ahead. Knows how to refuse a token: it names the place, what was found,
 * what is expected and the nearest keyword.
 *
 * <p>After {@link #hideFromHere}, messages no longer show what was found, until the next statement begins. A password
 * with a quote in it would otherwise show its second half.
 */
final class TokenStream {
    private final CatalogLexer lexer;
    private CatalogToken next;
    private @Nullable CatalogToken second;
    private boolean hidden;

    TokenStream(String text) {
        lexer = new CatalogLexer(text);
        next = lexer.next();
    }

    CatalogToken peek() {
        return next;
    }

    CatalogToken peekSecond() {
        CatalogToken known = second;
        if (known == null) {
            known = lexer.next();
            second = known;
        }
        return known;
    }

    CatalogToken next() {
        CatalogToken token = next;
        next = peekSecond();
        second = null;
        return token;
    }

    void startStatement() {
        hidden = false;
    }

    void hideFromHere() {
        hidden = true;
    }

    boolean isHidden() {
        return hidden;
    }

    boolean skip(char symbol) {
        boolean found = next.isSymbol(symbol);
        if (found) {
            next();
        }
        return found;
    }

    boolean skip(String keyword) {
        boolean found = next.isKeyword(keyword);
        if (found) {
            next();
        }
        return found;
    }

    void symbol(char symbol) throws StatementException {
        if (!skip(symbol)) {
            throw unexpected("\"" + symbol + "\"");
        }
    }

    CatalogToken identifier(String what) throws StatementException {
        if (!next.isIdentifier() || next.text().isEmpty()) {
            throw unexpected(what);
        }
        return next();
    }

    /** Consumes one of these keywords and returns it. */
    String keyword(String... allowed) throws StatementException {
        for (String keyword : allowed) {
            if (skip(keyword)) {
                return keyword;
            }
        }
        throw unexpected(allowed);
    }

    StatementException unexpected(String... expected) {
        return unexpected(next, expected);
    }

    StatementException unexpected(CatalogToken found, String... expected) {
        String message = "found " + shown(found) + "; expected: " + String.join(" or ", expected);
        String nearest = found.kind() == Kind.WORD && !hidden ? nearestKeyword(found.text(), expected) : null;
        return new StatementException(
                SourcePosition.of(found), nearest == null ? message : message + "; did you mean " + nearest + "?");
    }

    /** The token as a message may show it. */
    String shown(CatalogToken token) {
        return hidden && token.kind() != Kind.SYMBOL ? token.kind().label() : token.shown();
    }

    private static @Nullable String nearestKeyword(String word, String... expected) {
        List<String> keywords = List.of(expected).stream()
                .filter(text -> text.equals(text.toUpperCase(Locale.ROOT)))
                .filter(text -> text.matches("[A-Z]+"))
                .toList();
        return NearestName.likely(word, keywords);
    }
}
