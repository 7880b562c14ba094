package dev.reservoir.emulator.internal.conflict;

import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.emulator.internal.wire.Problem;
import dev.reservoir.emulator.internal.wire.Wire;
import io.netty.buffer.Unpooled;

/** Statements of our own that are sent among those of the client, which they leave alone. */
public final class Injected {
    /** A name that no client uses. */
    private static final String OWN = "dsql emulator";

    private static final String END = OWN + " end";

    /** The savepoint before the first change of a transaction. Clients have none: DSQL refuses them. */
    static final String SAVEPOINT = "dsql_emulator";

    /** How many answers {@link #savepoint} and {@link #call} get before those that matter. */
    private static final int PRELUDE = 4;

    /** A column that cannot be: its statement reads no table. */
    private static final String NO_COLUMN = "dsql emulator: refused";

    private Injected() {}

    /** Fails, and with it the transaction; answered by one error, after which the server skips to the next Sync. */
    public static void failure(Upstream upstream) {
        upstream.write(Wire.parse(END, "SELECT \"" + NO_COLUMN + "\""));
    }

    /** Whether an error is that of {@link #failure}. In a transaction that has failed before, it is another. */
    public static boolean isFailure(Problem problem) {
        return problem.message().contains(NO_COLUMN);
    }

    /** Rolls back; answered by ParseComplete, BindComplete, CommandComplete and, at last, CloseComplete. */
    public static void rollback(Upstream upstream) {
        upstream.write(Wire.parse(END, "ROLLBACK"));
        upstream.write(Wire.bind(END, END));
        upstream.write(Wire.execute(END));
        upstream.write(Wire.closeStatement(END));
        upstream.write(Wire.flush());
    }

    /** Sets the savepoint. Returns by how many answers, the last of them CommandComplete. */
    public static int savepoint(Upstream upstream) {
        return call(upstream, "SAVEPOINT " + SAVEPOINT, Call.NONE, false) + 1;
    }

    /** Carries out a client's call in other words. Returns how many answers come before those of the call itself, or of its description. */
    public static int call(Upstream upstream, String sql, Call call, boolean describes) {
        upstream.write(Wire.closePortal(OWN));
        upstream.write(Wire.closeStatement(OWN));
        upstream.write(Wire.parse(OWN, sql, Unpooled.wrappedBuffer(call.types())));
        upstream.write(Wire.bind(OWN, OWN, call.values()));
        if (describes) {
            upstream.write(Wire.describePortal(OWN));
        }
        upstream.write(Wire.execute(OWN, call.rows()));
        return PRELUDE;
    }

    /** Carries out a statement of a simple query; answered as that is, but for ParseComplete, BindComplete and NoData. */
    public static void statement(Upstream upstream, String sql) {
        upstream.write(Wire.parse("", sql));
        upstream.write(Wire.bind("", ""));
        upstream.write(Wire.describePortal(""));
        upstream.write(Wire.execute(""));
    }
}
