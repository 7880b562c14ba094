package dev.reservoir.jdbc;

import dev.reservoir.jdbc.error.StandardErrorRule;
import java.sql.SQLException;

/**
 * Tells errors that break a connection from errors of a statement. The wrappers ask it about every {@link SQLException}
 * that passes through a connection in use. A connection that the rule calls bad is not handed out again, and is closed
 * after its release. An implementation must not block, and must not use the connection.
 */
@FunctionalInterface
public interface ErrorRule {

    /** Returns whether the connection that threw this error can no longer be used. */
    boolean isBad(SQLException error);

    /**
     * Returns the default rule.
     *
     * <p>Bad: SQLState class 08, the states with which a server ends a session (57P01 to 57P05, 25P03, 25P04), a
     * {@link java.sql.SQLRecoverableException} or {@link java.sql.SQLNonTransientConnectionException}, and a broken
     * socket anywhere in the chain of causes. Never bad: 0A000, 40001, 54000, classes 23 and 53, and a statement
     * timeout (57014, {@link java.sql.SQLTimeoutException}).
     *
     * <p>If the SQLState and the class of one exception disagree, the SQLState decides. If exceptions in a chain of
     * causes disagree, the outermost decides, because the code that threw it knew what it wrapped. Exceptions linked by
     * {@link SQLException#getNextException} happened one after the other, so one bad exception among them is enough.
     */
    static ErrorRule standard() {
        return StandardErrorRule.INSTANCE;
    }
}
