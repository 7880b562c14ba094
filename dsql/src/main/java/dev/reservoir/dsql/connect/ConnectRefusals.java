package dev.reservoir.dsql.connect;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.dsql.error.DsqlError;
import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.error.ErrorKind;
import dev.reservoir.dsql.error.Limit;
import dev.reservoir.jdbc.ConnectErrorRule;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Tells why Aurora DSQL refused a connect. Its refusals are known by their words, since their SQLState is not reliable.
 */
public final class ConnectRefusals implements ConnectErrorRule {
    /** Bounds how many causes are examined. A chain may be circular. */
    private static final int CAUSES_MAX = 50;

    @Override
    public @Nullable OpenFailureReason reason(SQLException error) {
        Throwable cause = error;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
            OpenFailureReason reason = reason(DsqlErrors.of(cause));
            if (reason != null) {
                return reason;
            }
            cause = cause.getCause();
        }
        return null;
    }

    private static @Nullable OpenFailureReason reason(DsqlError error) {
        if (error.kind() == ErrorKind.AUTH) {
            return OpenFailureReason.AUTHENTICATION;
        }
        if (error.limit() == Limit.RATE) {
            return OpenFailureReason.SERVER_RATE;
        }
        return error.limit() == Limit.COUNT ? OpenFailureReason.SERVER_FULL : null;
    }
}
