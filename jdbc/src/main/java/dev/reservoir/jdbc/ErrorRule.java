package dev.reservoir.jdbc;

import dev.reservoir.jdbc.error.StandardErrorRule;
import java.sql.SQLException;

/**
 * Tells errors that cost a connection its place from errors of a statement. Asked about every {@link SQLException} that
 * passes through a lent connection; a connection found bad is not lent again and is closed after its return. Must not
 * block, and must not use the connection.
 */
@FunctionalInterface
public interface ErrorRule {

    /** Whether the connection that threw this is of no more use. */
    boolean isBad(SQLException error);

    /**
     * The rule that holds unless another is given.
     *
     * <p>Bad: SQLState class 08, the states with which a server ends a session (57P01 to 57P05, 25P03, 25P04), a {@link
     * java.sql.SQLRecoverableException} or {@link java.sql.SQLNonTransientConnectionException}, and a broken socket
     * anywhere in the chain of causes. Never bad: 0A000, 40001, 54000, classes 23 and 53, and a statement that ran out of
     * time (57014, {@link java.sql.SQLTimeoutException}).
     *
     * <p>Where one exception shows both, its SQLState counts before its class. Where a chain of causes shows both, the
     * outermost counts: whoever threw it knew what it was wrapping. Exceptions linked by {@link
     * SQLException#getNextException} happened one after the other, so one bad one among them is enough.
     */
    static ErrorRule standard() {
        return StandardErrorRule.INSTANCE;
    }
}
