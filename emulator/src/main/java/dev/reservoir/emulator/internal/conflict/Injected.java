package dev.reservoir.emulator.internal.conflict;

import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.message.ClientMessages;
import io.netty.buffer.Unpooled;

/**
 * Writes the emulator's own statements between those of the client. Never touches the client's statements and portals.
 */
public final class Injected {
    /** A name that no client uses. */
    private static final String OWN = "dsql emulator";

    private static final String END = OWN + " end";

    /**
     * The savepoint before the first change of a transaction. It cannot clash with a client's savepoint, because DSQL
     * refuses them.
     */
    static final String SAVEPOINT = "dsql_emulator";

    /** Number of answers to {@link #savepoint} and {@link #call} before those of the statement itself. */
    private static final int ANSWERS_BEFORE = 4;

    /** A column that cannot exist: the statement that names it reads no table. */
    private static final String NO_COLUMN = "dsql emulator: refused";

    private Injected() {}

    /** Fails the transaction. The server answers with one error and then skips to the next Sync. */
    public static void failure(Upstream upstream) {
        upstream.write(ClientMessages.parse(END, "SELECT \"" + NO_COLUMN + "\""));
    }

    /**
     * Whether an error comes from {@link #failure}. A transaction that has already failed answers with another error.
     */
    public static boolean isFailure(PgError error) {
        return error.message().contains(NO_COLUMN);
    }

    /** Rolls back. The server answers with ParseComplete, BindComplete, CommandComplete and CloseComplete. */
    public static void rollback(Upstream upstream) {
        upstream.write(ClientMessages.parse(END, "ROLLBACK"));
        upstream.write(ClientMessages.bind(END, END));
        upstream.write(ClientMessages.execute(END));
        upstream.write(ClientMessages.closeStatement(END));
        upstream.write(ClientMessages.flush());
    }

    /** Sets the savepoint. Returns the number of its answers; the last one is CommandComplete. */
    public static int savepoint(Upstream upstream) {
        return call(upstream, "SAVEPOINT " + SAVEPOINT, Call.NONE, false) + 1;
    }

    /**
     * Runs a client's call with other SQL. Returns the number of answers before those of the call itself or of its
     * description.
     */
    public static int call(Upstream upstream, String sql, Call call, boolean describes) {
        upstream.write(ClientMessages.closePortal(OWN));
        upstream.write(ClientMessages.closeStatement(OWN));
        upstream.write(ClientMessages.parse(OWN, sql, Unpooled.wrappedBuffer(call.types())));
        upstream.write(ClientMessages.bind(OWN, OWN, call.values()));
        if (describes) {
            upstream.write(ClientMessages.describePortal(OWN));
        }
        upstream.write(ClientMessages.execute(OWN, call.rows()));
        return ANSWERS_BEFORE;
    }

    /**
     * Runs a statement of a simple query. The answers are the same, apart from ParseComplete, BindComplete and NoData.
     */
    public static void statement(Upstream upstream, String sql) {
        upstream.write(ClientMessages.parse("", sql));
        upstream.write(ClientMessages.bind("", ""));
        upstream.write(ClientMessages.describePortal(""));
        upstream.write(ClientMessages.execute(""));
    }
}
