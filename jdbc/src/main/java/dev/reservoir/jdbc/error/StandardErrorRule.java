package dev.reservoir.jdbc.error;

import dev.reservoir.core.util.Causes;
import dev.reservoir.jdbc.ErrorRule;
import java.io.EOFException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The rule described at {@link ErrorRule#standard}. Looks at a bounded number of exceptions, so a chain may be
 * circular. Never blocks.
 */
public final class StandardErrorRule implements ErrorRule {
    public static final StandardErrorRule INSTANCE = new StandardErrorRule();

    /**
     * Bounds how many exceptions are examined along {@link SQLException#getNextException}. A long batch may fail many
     * times.
     */
    static final int NEXT_MAX = 1_000;

    private enum Verdict {
        BAD,
        HARMLESS,
        OPEN
    }

    private StandardErrorRule() {}

    @Override
    public boolean isBad(SQLException error) {
        SQLException e = error;
        for (int i = 0; i < NEXT_MAX && e != null; i++) {
            if (outermostVerdict(e) == Verdict.BAD) {
                return true;
            }
            e = e.getNextException();
        }
        return false;
    }

    private static Verdict outermostVerdict(SQLException error) {
        for (Throwable t : Causes.of(error)) {
            Verdict verdict = ofOne(t);
            if (verdict != Verdict.OPEN) {
                return verdict;
            }
        }
        return Verdict.OPEN;
    }

    private static Verdict ofOne(Throwable t) {
        if (!(t instanceof SQLException e)) {
            return isBrokenSocket(t) ? Verdict.BAD : Verdict.OPEN;
        }
        Verdict byState = ofState(e.getSQLState());
        if (byState != Verdict.OPEN) {
            return byState;
        }
        if (e instanceof SQLTimeoutException) {
            return Verdict.HARMLESS;
        }
        return e instanceof SQLRecoverableException || e instanceof SQLNonTransientConnectionException
                ? Verdict.BAD
                : Verdict.OPEN;
    }

    private static Verdict ofState(@Nullable String state) {
        if (state == null || state.length() < 2) {
            return Verdict.OPEN;
        }
        switch (state) {
            case "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04" -> {
                return Verdict.BAD;
            }
            case "0A000", "40001", "54000", "57014" -> {
                return Verdict.HARMLESS;
            }
            default -> {
                if (state.startsWith("08")) {
                    return Verdict.BAD;
                }
                return state.startsWith("23") || state.startsWith("53") ? Verdict.HARMLESS : Verdict.OPEN;
            }
        }
    }

    /**
     * A read timeout counts too. The answer is still on its way, and would be taken for the answer to the next
     * statement. A driver that has recovered its stream shows that by wrapping the timeout in a statement timeout.
     */
    private static boolean isBrokenSocket(Throwable t) {
        return t instanceof SocketException
                || t instanceof SocketTimeoutException
                || t instanceof EOFException
                || t instanceof ClosedChannelException
                || t instanceof SSLException;
    }
}
