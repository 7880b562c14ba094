package dev.reservoir.sim.world;

import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.sim.pools.EnginePool;
import dev.reservoir.sim.pools.Link;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the engine's promises in one process. Checks some at each event of the engine, and the others when it is
 * called.
 */
final class ProcessPromises implements Listener<Link> {
    private final Promises promises;
    private final SimulatedProcess process;
    private final boolean leased;

    /** Every connection that has not been discarded, with whether it is in use. Its order is never used. */
    private final Map<Link, Boolean> inUse = new HashMap<>();

    private int leasesLost;

    ProcessPromises(Promises promises, SimulatedProcess process, boolean leased) {
        this.promises = promises;
        this.process = process;
        this.leased = leased;
    }

    SimulatedProcess process() {
        return process;
    }

    private void require(boolean holds, int promise, String what, @Nullable Object... args) {
        if (!holds) {
            promises.broke(promise, process.name + ": " + String.format(java.util.Locale.ROOT, what, args));
        }
    }

    @Override
    public boolean wantsCheckouts() {
        return true;
    }

    @Override
    public void opened(Pooled<Link> pooled, long openNanos) {
        require(inUse.put(pooled.connection(), false) == null, 5, "%s is opened twice", pooled.connection());
    }

    @Override
    public void acquired(Pooled<Link> pooled) {
        Link link = pooled.connection();
        Boolean was = inUse.put(link, true);
        long now = process.time.nanos();
        require(
                was != null && !was,
                5,
                "%s is handed out, but was %s",
                link,
                was == null ? "already discarded" : "already in use");
        require(
                now < pooled.usableUntilNanos(),
                2,
                "%s is handed out %d ns inside its guard window",
                link,
                now - pooled.usableUntilNanos());
        require(!link.closeBegun, 5, "%s is handed out after its close began", link);
    }

    @Override
    public void released(Pooled<Link> pooled) {
        inUse.computeIfPresent(pooled.connection(), (link, was) -> false);
    }

    @Override
    public void discarded(Pooled<Link> pooled, DiscardReason reason, long remainingNanos) {
        Link link = pooled.connection();
        Boolean was = inUse.remove(link);
        require(
                (was == null) == (reason == DiscardReason.LATE),
                5,
                "%s is discarded (%s) and was %s there",
                link,
                reason.label(),
                was == null ? "not" : "already");
        require(
                was == null || !was || reason == DiscardReason.SHUTDOWN,
                10,
                "%s is discarded (%s) while in use",
                link,
                reason.label());
    }

    @Override
    public void closed(Pooled<Link> pooled, boolean leaseReleased) {
        if (!leaseReleased) {
            leasesLost++;
        }
    }

    /** Whether every lease was released successfully. */
    boolean gaveLeasesBack() {
        return leasesLost == 0;
    }

    /** Checks the counts of the process after an event in it. */
    void check() {
        if (process.isGone() || !(process.pool() instanceof EnginePool pool)) {
            return;
        }
        Reservoir<Link> reservoir = pool.reservoir();
        Settings settings = reservoir.settings();
        Counts c = reservoir.counts();
        int most = c.targets().maxOpen()
                + settings.successorAllowanceFor(c.targets().maxOpen());
        int count = c.size() + c.opening() - c.openingOverflow() + c.openStill();
        require(count <= most, 1, "%d connections, allowed %d: %s", count, most, c);
        require(c.ready() >= 0 && c.inUse() >= 0 && c.waiting() >= 0, 1, "negative: %s", c);
        require(c.opening() <= settings.opensInFlightMax(), 7, "%d connects under way: %s", c.opening(), c);
        require(
                process.connectsBegun <= process.permitsGranted,
                4,
                "%d connects on %d permits",
                process.connectsBegun,
                process.permitsGranted);
        // While the pool closes, leases of hanging connects are released before it is known that these connects have
        // ended.
        if (leased && !reservoir.isClosed()) {
            int open = process.links.size() - process.slowCloses;
            require(open <= process.leases.size(), 4, "%d connections on %d leases", open, process.leases.size());
        }
    }

    /** Checks what must hold when no further event is due at the same moment. */
    void checkSettled() {
        if (process.isGone() || process.time.standsStill() || !(process.pool() instanceof EnginePool pool)) {
            return;
        }
        Counts c = pool.reservoir().counts();
        require(
                c.waiting() == 0 || c.ready() == 0 || pool.reservoir().isClosed(),
                6,
                "%d checkouts wait although %d connections are ready",
                c.waiting(),
                c.ready());
    }
}
