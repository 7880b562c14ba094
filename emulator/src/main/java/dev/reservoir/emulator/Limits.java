package dev.reservoir.emulator;

import java.time.Duration;

/**
 * What the emulator rations, and from where on it refuses. {@link #dsql()} is what Aurora DSQL has; each {@code with} method gives
 * a copy with one limit changed. Immutable.
 *
 * @param ratePerSecond new connections a second that the bucket gains, more than 0
 * @param burst how many new connections the bucket holds when full, at least 1
 * @param maxOpen connections open at once, at least 1
 * @param maxAge age at which the server closes a connection, more than 0
 * @param transactionRows rows one transaction may change, at least 1
 * @param transactionBytes bytes one transaction may write, at least 1
 * @param transactionAge how long one transaction may last, more than 0
 */
public record Limits(
        double ratePerSecond,
        int burst,
        int maxOpen,
        Duration maxAge,
        long transactionRows,
        long transactionBytes,
        Duration transactionAge) {

    private static final Limits DSQL =
            new Limits(100, 1000, 10_000, Duration.ofMinutes(60), 3000, 10L << 20, Duration.ofMinutes(5));

    /**
     * Checks every limit.
     *
     * @throws IllegalArgumentException if one of them is out of its range; the message names it
     */
    public Limits {
        if (!(ratePerSecond > 0) || Double.isInfinite(ratePerSecond)) {
            throw refused("ratePerSecond", ratePerSecond, "a number above 0");
        }
        atLeastOne("burst", burst);
        atLeastOne("maxOpen", maxOpen);
        positive("maxAge", maxAge);
        atLeastOne("transactionRows", transactionRows);
        atLeastOne("transactionBytes", transactionBytes);
        positive("transactionAge", transactionAge);
    }

    /** The limits of Aurora DSQL. */
    public static Limits dsql() {
        return DSQL;
    }

    /** A copy in which the bucket gains {@code value} connections a second. */
    public Limits withRatePerSecond(double value) {
        return new Limits(value, burst, maxOpen, maxAge, transactionRows, transactionBytes, transactionAge);
    }

    /** A copy in which the full bucket holds {@code value} connections. */
    public Limits withBurst(int value) {
        return new Limits(ratePerSecond, value, maxOpen, maxAge, transactionRows, transactionBytes, transactionAge);
    }

    /** A copy in which {@code value} connections may be open at once. */
    public Limits withMaxOpen(int value) {
        return new Limits(ratePerSecond, burst, value, maxAge, transactionRows, transactionBytes, transactionAge);
    }

    /** A copy in which a connection is closed at the age of {@code value}. */
    public Limits withMaxAge(Duration value) {
        return new Limits(ratePerSecond, burst, maxOpen, value, transactionRows, transactionBytes, transactionAge);
    }

    /** A copy in which a transaction may change {@code value} rows. */
    public Limits withTransactionRows(long value) {
        return new Limits(ratePerSecond, burst, maxOpen, maxAge, value, transactionBytes, transactionAge);
    }

    /** A copy in which a transaction may write {@code value} bytes. */
    public Limits withTransactionBytes(long value) {
        return new Limits(ratePerSecond, burst, maxOpen, maxAge, transactionRows, value, transactionAge);
    }

    /** A copy in which a transaction may last for {@code value}. */
    public Limits withTransactionAge(Duration value) {
        return new Limits(ratePerSecond, burst, maxOpen, maxAge, transactionRows, transactionBytes, value);
    }

    private static void atLeastOne(String name, long value) {
        if (value < 1) {
            throw refused(name, value, "a whole number from 1 up");
        }
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw refused(name, value, "a duration above 0");
        }
    }

    private static IllegalArgumentException refused(String name, Object value, String allowed) {
        return new IllegalArgumentException(name + " is " + value + "; allowed: " + allowed);
    }
}
