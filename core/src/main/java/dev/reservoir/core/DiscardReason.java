package dev.reservoir.core;

/** Why a connection was thrown away. The label is the word that logs and metrics use. */
public enum DiscardReason {
    /** Less than the guard window left, found at checkout or return. */
    INSUFFICIENT_REMAINING_LIFETIME("insufficient_remaining_lifetime"),
    /** Its lifetime was over when it was to be lent. */
    EXPIRED_ON_CHECKOUT("expired_on_checkout"),
    /** Its lifetime ended while it was on loan. */
    EXPIRED_ON_RETURN("expired_on_return"),
    /** Its lifetime was over, found by the scan. */
    EXPIRED_ON_SCAN("expired_on_scan"),
    /** Less than the guard window left, found by the scan. */
    EXPIRING_SOON_ON_SCAN("expiring_soon_on_scan"),
    /** More connections than {@code maxOpen} allows, after it was lowered. */
    RESERVOIR_FULL("reservoir_full"),
    /** Its successor stands ready, so it retires ahead of its guard window. */
    SUPERSEDED("superseded"),
    /** Found broken while it was on loan. */
    BAD("bad"),
    /** Did not answer when it was to be proven alive. */
    VALIDATION_FAILED("validation_failed"),
    /** In use, and its server no longer knows it or waits for a command while the caller waits for an answer. */
    UNRESPONSIVE("unresponsive"),
    /** In use for longer than the application allows, and taken from its caller. */
    ABANDONED("abandoned"),
    /** Stood ready and unused for longer than the idle time-out. */
    IDLE("idle"),
    /** Thrown out by {@code evict} or {@code flush}. */
    EVICTED("evicted"),
    /** Its lease was wanted back by whoever rations open connections. */
    LEASE_RECALLED("lease_recalled"),
    /** A temporary connection beyond the maximum, closed on return. */
    OVERFLOW("overflow"),
    /** Came after its connect had been given up. */
    LATE("late"),
    /** An error lost it on its way to a caller or back. */
    LOST("lost"),
    /** The reservoir is closing. */
    SHUTDOWN("shutdown");

    private final String label;

    DiscardReason(String label) {
        this.label = label;
    }

    /** The word for logs and metrics. */
    public String label() {
        return label;
    }
}
