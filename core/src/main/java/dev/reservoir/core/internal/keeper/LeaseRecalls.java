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
    private final LeaseCount books;
    private final EventLoop control;
    private final Gate gate;
    private final Openings<T> openings;
    private final OpenConnections<T> population;
    private final Retirements<T> retirements;

    LeaseRecalls(
            @Nullable Leases leases,
            LeaseCount books,
            EventLoop control,
            Gate gate,
            Openings<T> openings,
            OpenConnections<T> population,
            Retirements<T> retirements) {
        this.leases = leases;
        this.books = books;
        this.control = control;
        this.gate = gate;
        this.openings = openings;
        this.population = population;
        this.retirements = retirements;
    }

    /** Registers the reservoir with the source of its leases. */
    void attach() {
        tell(source -> source.attach(books));
    }

    /** Removes the reservoir from the source of its leases. */
    void detach() {
        tell(source -> source.detach(books));
    }

    private void tell(Consumer<Leases> what) {
        Leases source = leases;
        if (source != null) {
            control.later(() -> {
                try {
                    what.accept(source);
                } catch (RuntimeException | Error e) {
                    log.warn(
                            "the source of leases threw an exception, which is ignored  source={}",
                            source.getClass().getName(),
                            e);
                }
            });
        }
    }

    /** Whether a connection that is not in use must retire because its lease is recalled. */
    boolean areOwed() {
        return books.owed() > 0;
    }

    /** Drops all recalls, because from now on every connection retires. */
    void end() {
        books.end();
        gate.recalling = false;
    }

    /**
     * Retires connections that no caller uses. The gate sends connections that are released later to the keeper. One
     * case is missed until the next batch: a caller reads the gate before it changes, and releases after the keeper
     * looked at the store.
     */
    void settle() {
        setGate(areOwed());
        if (areOwed()) {
            openings.cancelWithLeases(books::owed);
            retirements.retireReady(population.snapshot(), books.owed(), DiscardReason.LEASE_RECALLED);
            setGate(areOwed());
        }
    }

    private void setGate(boolean recalling) {
        if (gate.recalling != recalling) {
            gate.recalling = recalling;
        }
    }
}
