package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.checkout.Gate;
import dev.reservoir.core.internal.opening.LeaseCount;
import dev.reservoir.core.internal.opening.Openings;
import dev.reservoir.core.spi.Leases;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases the leases that their source recalls: at once if nobody uses the connection, otherwise on its release
 * (promise 5). Never takes a connection away from its caller (promise 10). All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class LeaseRecalls<T> {
    private static final Logger log = LoggerFactory.getLogger(LeaseRecalls.class);

    private final @Nullable Leases leases;
    private final LeaseCount leaseCount;
    private final EventLoop eventLoop;
    private final Gate gate;
    private final Openings<T> openings;
    private final OpenConnections<T> openConnections;
    private final Retirements<T> retirements;

    LeaseRecalls(
            @Nullable Leases leases,
            LeaseCount leaseCount,
            EventLoop eventLoop,
            Gate gate,
            Openings<T> openings,
            OpenConnections<T> openConnections,
            Retirements<T> retirements) {
        this.leases = leases;
        this.leaseCount = leaseCount;
        this.eventLoop = eventLoop;
        this.gate = gate;
        this.openings = openings;
        this.openConnections = openConnections;
        this.retirements = retirements;
    }

    /** Registers the reservoir with the source of its leases. */
    void attach() {
        tell(source -> source.attach(leaseCount));
    }

    /** Removes the reservoir from the source of its leases. */
    void detach() {
        tell(source -> source.detach(leaseCount));
    }

    private void tell(Consumer<Leases> what) {
        Leases source = leases;
        if (source != null) {
            eventLoop.later(() -> {
                try {
                    what.accept(source);
                } catch (RuntimeException | Error e) {
                    eventLoop.log(() -> log.warn(
                            "Reservoir: the source of leases threw an exception, ignored  source={}",
                            source.getClass().getName(),
                            e));
                }
            });
        }
    }

    /** Whether a connection that is not in use must retire because its lease is recalled. */
    boolean areOwed() {
        return leaseCount.owed() > 0;
    }

    /** Drops all recalls, because from now on every connection retires. */
    void end() {
        leaseCount.end();
        gate.setRecalling(false);
    }

    /**
     * Retires connections that no caller uses. The gate sends connections that are released later to the keeper. One
     * case is missed until the next batch: a caller reads the gate before it changes, and releases after the keeper
     * looked at the store.
     */
    void settle() {
        gate.setRecalling(areOwed());
        if (areOwed()) {
            openings.cancelWithLeases(leaseCount::owed);
            retirements.retireReady(openConnections.snapshot(), leaseCount.owed(), DiscardReason.LEASE_RECALLED);
            gate.setRecalling(areOwed());
        }
    }
}
