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
 * Gives leases back that their source wants back: at once where nobody uses them, otherwise when connections return (promise
 * 5). Never takes a connection from its borrower (promise 10). All state is guarded by the keeper's lock.
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

    /** Makes the reservoir known to the source of its leases. */
    void attach() {
        tell(source -> source.attach(books));
    }

    /** Has it forgotten there. */
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

    /** Whether something that is not in use must go, for its lease. */
    boolean areOwed() {
        return books.owed() > 0;
    }

    /** Forgets what is owed: from now on everything goes. */
    void end() {
        books.end();
        gate.recalling = false;
    }

    /**
     * Gives back what can be had without a borrower; the gate sends the keeper what comes back later. A borrower who looked at
     * the gate before that, and gives back after the keeper looked at the store, is missed until the next batch.
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
