package dev.reservoir.remote.sql;

import dev.reservoir.remote.sql.lexer.CatalogToken;

/**
 * A place in a text of SQL.
 *
 * @param line counts from 1
 * @param column counts characters from 1
 * @param offset counts characters of the whole text from 0
 */
public record SourcePosition(int line, int column, int offset) {
    static SourcePosition of(CatalogToken token) {
        return new SourcePosition(token.line(), token.column(), token.offset());
    }

    @Override
    public String toString() {
        return "line " + line + ", column " + column;
    }
}
