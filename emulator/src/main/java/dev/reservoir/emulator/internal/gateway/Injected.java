package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.wire.Problem;
import dev.reservoir.emulator.internal.wire.Wire;

/** Statements of our own that are sent among those of the client, which they leave alone. */
final class Injected {
    /** A name that no client uses. */
    private static final String OWN = "dsql emulator";

    /** A column that cannot be: its statement reads no table. */
    private static final String NO_COLUMN = "dsql emulator: refused";

    private Injected() {}

    /** Fails, and with it the transaction; answered by one error, after which the server skips to the next Sync. */
    static void failure(Upstream upstream) {
        upstream.write(Wire.parse(OWN, "SELECT \"" + NO_COLUMN + "\""));
    }

    /** Whether an error is that of {@link #failure}. In a transaction that has failed before, it is another. */
    static boolean isFailure(Problem problem) {
        return problem.message().contains(NO_COLUMN);
    }

    /** Rolls back; answered by ParseComplete, BindComplete, CommandComplete and, at last, CloseComplete. */
    static void rollback(Upstream upstream) {
        upstream.write(Wire.parse(OWN, "ROLLBACK"));
        upstream.write(Wire.bind(OWN, OWN));
        upstream.write(Wire.execute(OWN));
        upstream.write(Wire.closeStatement(OWN));
        upstream.write(Wire.flush());
    }

    /** Carries out a statement of a simple query; answered as that is, but for ParseComplete, BindComplete and NoData. */
    static void statement(Upstream upstream, String sql) {
        upstream.write(Wire.parse("", sql));
        upstream.write(Wire.bind("", ""));
        upstream.write(Wire.describePortal(""));
        upstream.write(Wire.execute(""));
    }
}
