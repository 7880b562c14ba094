package dev.reservoir.emulator.internal.sql;

import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.emulator.internal.wire.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Cuts a text into statements and says of each what it does and whether DSQL takes it. Never changes what a statement means. */
public final class Statements {
    private static final Set<String> CHANGES_ROWS = Set.of("insert", "update", "delete");
    private static final Set<String> CHANGES_SCHEMA = Set.of("create", "alter", "drop");

    private Statements() {}

    /** The statements of a text, in order; none if it holds nothing but space and comments. */
    public static List<Statement> of(String sql) {
        List<Token> all = Tokenizer.tokens(sql);
        List<Statement> statements = new ArrayList<>();
        int first = 0;
        int block = 0;
        for (int i = 0; i < all.size(); i++) {
            Token token = all.get(i);
            // The body of an SQL function: BEGIN ATOMIC ...; ...; END, in which CASE has an END, too.
            if (token.is("begin") && i + 1 < all.size() && all.get(i + 1).is("atomic")) {
                block++;
            } else if (block > 0 && token.is("case")) {
                block++;
            } else if (block > 0 && token.is("end")) {
                block--;
            } else if (block == 0 && token.isSymbol(";") && token.depth() == 0) {
                add(statements, sql, all.subList(first, i), token.start());
                first = i + 1;
            }
        }
        add(statements, sql, all.subList(first, all.size()), sql.length());
        return statements;
    }

    private static void add(List<Statement> statements, String sql, List<Token> tokens, int end) {
        if (tokens.isEmpty()) {
            return;
        }
        int start = tokens.get(0).start();
        Tokens view = new Tokens(sql, List.copyOf(tokens));
        Problem refusal = Rules.refusal(view);
        String text = blank(sql.substring(start, end), start, view);
        statements.add(new Statement(text, start, kind(view), refusal));
    }

    /** Blanks out the ASYNC of CREATE INDEX ASYNC and ALTER TABLE ASYNC, a word that PostgreSQL does not know. */
    private static String blank(String text, int start, Tokens tokens) {
        int index = tokens.skip(1, "unique");
        boolean createIndex = tokens.at(0, "create") && tokens.at(index, "index", "async");
        boolean alterTable = tokens.at(0, "alter", "table", "async") && tokens.nameAt(3);
        if (!createIndex && !alterTable) {
            return text;
        }
        int from = tokens.get(createIndex ? index + 1 : 2).start() - start;
        return text.substring(0, from) + "     " + text.substring(from + "async".length());
    }

    private static Kind kind(Tokens tokens) {
        Token first = tokens.get(0);
        if (tokens.at(0, "begin") || tokens.at(0, "start", "transaction")) {
            return Kind.BEGIN;
        } else if (first.is("commit") || first.is("end")) {
            return Kind.COMMIT;
        } else if (first.is("rollback") || first.is("abort")) {
            return Kind.ROLLBACK;
        } else if (tokens.anyAt(0, CHANGES_SCHEMA)) {
            return Kind.DDL;
        } else if (tokens.anyAt(0, CHANGES_ROWS) || (first.is("copy") && tokens.find("from", 1) > 0)) {
            return Kind.DML;
        } else if (first.is("with") && changesRowsInside(tokens)) {
            return Kind.DML;
        }
        return Kind.OTHER;
    }

    /** WITH may hold an INSERT, UPDATE or DELETE at the start of a parenthesis, or end in one. */
    private static boolean changesRowsInside(Tokens tokens) {
        for (int i = 1; i < tokens.size(); i++) {
            boolean begins = tokens.symbolAt(i - 1, "(") || tokens.symbolAt(i - 1, ")");
            if (begins && tokens.anyAt(i, CHANGES_ROWS)) {
                return true;
            }
        }
        return false;
    }
}
