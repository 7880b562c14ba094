package dev.reservoir.dsql.connect;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.util.Causes;
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
    @Override
    public @Nullable OpenFailureReason reason(SQLException error) {
        for (Throwable cause : Causes.of(error)) {
            OpenFailureReason reason = reason(DsqlErrors.of(cause));
            if (reason != null) {
                return reason;
            }
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
