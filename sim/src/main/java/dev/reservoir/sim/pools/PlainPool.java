package dev.reservoir.sim.pools;

import dev.reservoir.core.DiscardReason;
import org.jspecify.annotations.Nullable;

/**
 * A model of a plain pool, such as HikariCP with as many idle connections as it may have: knows nothing of permits, opens one
 * connection at a time with a short pause after each, lets each live up to a quarter less than the longest lifetime, and
 * replaces it after it has gone. Looks whether a connection still works before it lends one that was not used just now, and
 * now and then while it stands idle.
 */
public final class PlainPool extends ModelPool {
    private static final long PAUSE_NANOS = 30_000_000L;
    private static final long BACKOFF_LEAST_NANOS = 10_000_000L;
    private static final long BACKOFF_MOST_NANOS = 5_000_000_000L;
    private static final double VARIANCE = 0.25;

    /** Within which after its last use a connection is lent without a look. */
    private static final long TRUSTED_NANOS = 500_000_000L;

    private final long longestNanos;
    private final long keepaliveNanos;
    private boolean adding;
    private long backoffNanos = BACKOFF_LEAST_NANOS;

    /** Begins to fill. */
    public PlainPool(PoolContext around) {
        super(around);
        longestNanos = around.settings().longestLifetime().toNanos();
        keepaliveNanos = around.settings().keepalive().toNanos();
        time.execute(this::changed);
    }

    private boolean isOver(Link link) {
        return time.nanos() >= link.endsNanos;
    }

    @Override
    @Nullable
    Link nextReady() {
        Link link;
        while ((link = ready.poll()) != null) {
            if (isOver(link)) {
                discard(link, DiscardReason.EXPIRED_ON_CHECKOUT);
            } else if (link.broken && time.nanos() - link.idleSinceNanos > TRUSTED_NANOS) {
                // The look itself takes no time here: a millisecond or two in the pool's favour.
                discard(link, DiscardReason.VALIDATION_FAILED);
            } else {
                return link;
            }
        }
        return null;
    }

    @Override
    void changed() {
        if (!adding && isMissing()) {
            adding = true;
            add();
        }
    }

    private boolean isMissing() {
        return !closed && size() < around.settings().maxOpen();
    }

    private void add() {
        if (!isMissing()) {
            adding = false;
            return;
        }
        long shorter = (long) (around.random().nextDouble() * VARIANCE * longestNanos);
        open(longestNanos - shorter, null, this::added, this::refused);
    }

    private void added(Link link) {
        backoffNanos = BACKOFF_LEAST_NANOS;
        if (closed) {
            discard(link, DiscardReason.SHUTDOWN);
            return;
        }
        ready.add(link);
        time.schedule(link.endsNanos - time.nanos(), () -> ended(link));
        keepAlive(link);
        serve();
        time.schedule(PAUSE_NANOS, this::add);
    }

    private void refused() {
        time.schedule(backoffNanos, this::add);
        backoffNanos = Math.min(BACKOFF_MOST_NANOS, 2 * backoffNanos);
    }

    /** Its life is over: one that is ready goes now, one on loan when it comes back. */
    private void ended(Link link) {
        if (ready.remove(link)) {
            discard(link, DiscardReason.EXPIRED_ON_SCAN);
            changed();
        }
    }

    private void keepAlive(Link link) {
        if (keepaliveNanos > 0 && time.nanos() + keepaliveNanos < link.endsNanos) {
            time.schedule(keepaliveNanos, () -> lookAt(link));
        }
    }

    private void lookAt(Link link) {
        if (link.closeBegun) {
            return;
        }
        if (!ready.remove(link)) {
            keepAlive(link);
            return;
        }
        validate(link, works -> {
            if (closed) {
                discard(link, DiscardReason.SHUTDOWN);
            } else if (works) {
                cameBack(link);
                serve();
                keepAlive(link);
            } else {
                discard(link, DiscardReason.VALIDATION_FAILED);
            }
            changed();
        });
    }

    @Override
    void cameBack(Link link) {
        if (isOver(link)) {
            discard(link, DiscardReason.EXPIRED_ON_RETURN);
        } else {
            ready.add(link);
        }
    }
}
