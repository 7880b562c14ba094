package dev.reservoir.jdbc;

import dev.reservoir.core.OpenFailureReason;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Tells why a connect failed, for servers whose SQLState does not tell it. The data source asks it about the error of
 * each failed connect. An implementation must not block.
 */
@FunctionalInterface
public interface ConnectErrorRule {

    /** Returns the reason, or null to leave the error to the standard rules. */
    @Nullable
    OpenFailureReason reason(SQLException error);
}
