package dev.reservoir.core;

/** The reason why a connection was discarded. Logs and metrics use the label. */
public enum DiscardReason {
    /** Less than the guard window was left at acquire or release. */
    INSUFFICIENT_REMAINING_LIFETIME("insufficient_remaining_lifetime"),
    /** Its lifetime was over when it was about to be handed out. */
    EXPIRED_ON_CHECKOUT("expired_on_checkout"),
    /** Its lifetime ended while it was in use. */
    EXPIRED_ON_RETURN("expired_on_return"),
    /** Its lifetime was over when the scan looked at it. */
    EXPIRED_ON_SCAN("expired_on_scan"),
    /** Less than the guard window was left when the scan looked at it. */
    EXPIRING_SOON_ON_SCAN("expiring_soon_on_scan"),
    /** The reservoir held more connections than {@code maxOpen} allows after {@code maxOpen} was lowered. */
    RESERVOIR_FULL("reservoir_full"),
    /** Its successor is ready, so it retires before its guard window begins. */
    SUPERSEDED("superseded"),
    /** It was found broken while it was in use. */
    BAD("bad"),
    /** It did not answer a validation. */
    VALIDATION_FAILED("validation_failed"),
    /**
     * It is in use, and the server no longer knows it, or the server waits for a command while the caller waits for an
     * answer.
     */
    UNRESPONSIVE("unresponsive"),
    /** It was in use for longer than the application allows, and was taken away from its caller. */
    ABANDONED("abandoned"),
    /** It was ready and unused for longer than the idle timeout. */
    IDLE("idle"),
    /** It was removed by {@code evict} or {@code flush}. */
    EVICTED("evicted"),
    /** The source of leases recalled its lease. */
    LEASE_RECALLED("lease_recalled"),
    /** It was a temporary connection beyond the maximum; such a connection closes on release. */
    OVERFLOW("overflow"),
    /** It arrived after the reservoir had given up its connect. */
    LATE("late"),
    /** An error lost it on the way to a caller or back. */
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
