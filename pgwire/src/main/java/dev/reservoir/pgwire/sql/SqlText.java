package dev.reservoir.pgwire.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * One statement of a text that may hold several.
 *
 * @param sql the statement, from its first token to the semicolon or the end of the text
 * @param offset the position in the text at which it begins, in characters
 * @param tokens its tokens, with their positions in the text
 */
public record SqlText(String sql, int offset, List<SqlToken> tokens) {

    /** The statements of a text, in order. The list is empty if the text holds only space and comments. */
    public static List<SqlText> split(String text) {
        List<SqlToken> all = Tokenizer.tokens(text);
        List<SqlText> statements = new ArrayList<>();
        int first = 0;
        int block = 0;
        for (int i = 0; i < all.size(); i++) {
            SqlToken token = all.get(i);
            // The body of an SQL function is BEGIN ATOMIC ...; ...; END. A CASE inside it has an END of its own.
            if (token.is("begin") && i + 1 < all.size() && all.get(i + 1).is("atomic")) {
                block++;
            } else if (block > 0 && token.is("case")) {
                block++;
            } else if (block > 0 && token.is("end")) {
                block--;
            } else if (block == 0 && token.isSymbol(";") && token.depth() == 0) {
                add(statements, text, all.subList(first, i), token.start());
                first = i + 1;
            }
        }
        add(statements, text, all.subList(first, all.size()), text.length());
        return statements;
    }

    private static void add(List<SqlText> statements, String text, List<SqlToken> tokens, int end) {
        if (!tokens.isEmpty()) {
            int start = tokens.get(0).start();
            statements.add(new SqlText(text.substring(start, end), start, List.copyOf(tokens)));
        }
    }
}
