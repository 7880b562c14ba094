package dev.reservoir.dsql.connect;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.jdbc.ConnectErrorRule;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Tells a reservoir why Aurora DSQL refused a connect. */
public final class ConnectRefusals implements ConnectErrorRule {
    @Override
    public @Nullable OpenFailureReason reason(SQLException error) {
        return ConnectCounts.refusal(error);
    }
}
