package dev.reservoir.sim.pools;

import dev.reservoir.core.DiscardReason;
import org.jspecify.annotations.Nullable;

/**
 * A model of a plain pool, such as HikariCP with as many idle connections as its maximum size. It does not use permits.
 * It opens one connection at a time, with a short pause after each. Each connection lives up to a quarter less than the
 * longest lifetime, and is replaced only after it has ended. The pool validates a connection before a checkout unless
 * it was used recently, and from time to time while it is idle.
 */
public final class PlainPool extends ModelPool {
    /** Pause after each connection that was opened. */
    private static final long PAUSE_NANOS = 30_000_000L;

    /** Pause after the first failed connect. It doubles with each further failure. */
    private static final long BACKOFF_LEAST_NANOS = 10_000_000L;

    /** Longest pause after failed connects. */
    private static final long BACKOFF_MOST_NANOS = 5_000_000_000L;

    /** Largest share of the longest lifetime by which a connection lives shorter. */
    private static final double VARIANCE = 0.25;

    /** A connection used within this time is handed out without validation. The same value as HikariCP's default. */
    private static final long TRUSTED_NANOS = 500_000_000L;

    private final long longestNanos;
    private final long keepaliveNanos;
    private boolean adding;
    private long backoffNanos = BACKOFF_LEAST_NANOS;

    /** Creates the pool and starts to fill it. Does not block. */
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
                // Validation takes no time here, which favours this pool by a millisecond or two.
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

    /** Ends a connection whose lifetime is over. A ready one is closed now, one in use when it is released. */
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
