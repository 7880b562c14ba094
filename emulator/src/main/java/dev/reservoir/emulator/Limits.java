package dev.reservoir.emulator;

import java.time.Duration;

/**
 * The limits that the emulator enforces. {@link #dsql()} has the limits of Aurora DSQL. Each {@code with} method
 * returns a copy with one limit changed. Immutable.
 *
 * @param ratePerSecond new connections that the bucket gains each second, more than 0
 * @param burst new connections that the full bucket holds, at least 1
 * @param maxOpen connections open at once, at least 1
 * @param maxAge age at which the server closes a connection, more than 0
 * @param transactionRows rows that one transaction may change, at least 1
 * @param transactionBytes bytes that one transaction may write, at least 1
 * @param transactionAge longest duration of one transaction, more than 0
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
     * @throws IllegalArgumentException if a limit is out of range; the message names it
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

    /** A copy in which the bucket gains {@code value} connections each second. */
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

    /** A copy in which the server closes a connection at the age of {@code value}. */
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
