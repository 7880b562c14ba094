package dev.reservoir.sim.pools;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Permits.Urgency;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A model of the reservoir for Go: a channel of ready connections, which a single opener fills while it is not full.
 * Connections in use do not count. The opener therefore replaces them, and there is no room when they are released. A
 * checkout that finds a connection too close to its end reports the channel as empty.
 */
public final class GoPool extends ModelPool {
    /** Average interval at which the opener looks again while the channel is full. */
    private static final long IDLE_CHECK_NANOS = 100_000_000L;

    /** Pause of the opener after a failure. */
    private static final long FAILURE_PAUSE_NANOS = 250_000_000L;

    /** Interval between two scans for connections that are too old. */
    private static final long SCAN_NANOS = 1_000_000_000L;

    private final int target;
    private final long guardNanos;

    /** Creates the pool and starts to fill it. Does not block. */
    public GoPool(PoolContext around) {
        super(around);
        target = around.settings().targetReady();
        guardNanos = around.settings().guardWindow().toNanos();
        time.execute(this::refill);
        time.schedule(SCAN_NANOS, this::scan);
    }

    private boolean isStale(Link link) {
        return time.nanos() > link.endsNanos - guardNanos;
    }

    @Override
    public @Nullable Link tryTake() {
        Link head = ready.peek();
        if (head != null && isStale(head)) {
            ready.remove();
            discardStale(head);
            return null;
        }
        return super.tryTake();
    }

    @Override
    @Nullable
    Link nextReady() {
        Link link;
        while ((link = ready.poll()) != null && isStale(link)) {
            discardStale(link);
        }
        return link;
    }

    private void discardStale(Link link) {
        boolean expired = time.nanos() >= link.endsNanos;
        discard(link, expired ? DiscardReason.EXPIRED_ON_CHECKOUT : DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
    }

    /** Does nothing, because the opener polls by itself. */
    @Override
    void changed() {}

    private void refill() {
        if (closed) {
            return;
        }
        Leases leases = around.leases();
        if (ready.size() >= target) {
            // Random, so that the opener does not run in step with the callers. Timers of a real process do not either.
            long pause = (long) (IDLE_CHECK_NANOS * (0.8 + 0.4 * around.random().nextDouble()));
            time.schedule(pause, this::refill);
        } else if (leases == null) {
            askForPermit(null);
        } else {
            StageAnswers.hear(time, leases.acquire(), (lease, error) -> {
                if (lease == null) {
                    failed(OpenFailureReason.LEASE_ACQUIRE);
                } else {
                    askForPermit(lease);
                }
            });
        }
    }

    private void askForPermit(@Nullable Lease lease) {
        StageAnswers.hear(time, around.permits().acquire(Urgency.NORMAL), (permit, error) -> {
            if (permit == null) {
                giveBack(lease);
                failed(OpenFailureReason.RATE_LIMIT);
            } else if (closed) {
                giveBack(lease);
                permit.giveBack();
            } else {
                openOne(lease, permit::answered);
            }
        });
    }

    private void openOne(@Nullable Lease lease, Runnable answered) {
        long jitter = around.settings().jitter().toNanos();
        long lifetime = around.settings().shortestLifetime().toNanos()
                + (long) (around.random().nextDouble() * jitter);
        open(
                lifetime,
                lease,
                link -> {
                    answered.run();
                    put(link);
                    serve();
                    refill();
                },
                () -> {
                    answered.run();
                    pause();
                });
    }

    private void failed(OpenFailureReason reason) {
        around.events().openFailed(reason);
        pause();
    }

    private void pause() {
        time.schedule(FAILURE_PAUSE_NANOS, this::refill);
    }

    private void put(Link link) {
        if (closed) {
            discard(link, DiscardReason.SHUTDOWN);
        } else if (ready.size() < target) {
            ready.add(link);
        } else {
            discard(link, DiscardReason.RESERVOIR_FULL);
        }
    }

    @Override
    void cameBack(Link link) {
        if (isStale(link)) {
            boolean expired = time.nanos() >= link.endsNanos;
            discard(link, expired ? DiscardReason.EXPIRED_ON_RETURN : DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
        } else {
            put(link);
        }
    }

    private void scan() {
        if (closed) {
            return;
        }
        for (Iterator<Link> all = ready.iterator(); all.hasNext(); ) {
            Link link = all.next();
            if (isStale(link)) {
                all.remove();
                discard(link, DiscardReason.EXPIRING_SOON_ON_SCAN);
            }
        }
        time.schedule(SCAN_NANOS, this::scan);
    }
}
