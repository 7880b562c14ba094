package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tracks whether one store can be reached, from each call's outcome. Never calls it. Only on the serial executor. */
public final class StoreHealth {
    /** Number of failures in a row that make an outage. One lost call does not. */
    private static final int FAILURES_OF_AN_OUTAGE = 2;

    /**
     * If a store refuses or throttles a call but has answered another one within this time, it is not away. A store
     * that has never answered and only throttles has the same time before it counts as away.
     */
    private static final long ANSWERS_OTHERS_NANOS = 20_000_000_000L;

    private final Store store;
    private final BudgetHealth budget;
    private final Time time;
    private final boolean hasLocalShare;
    private final List<Runnable> listeners = new ArrayList<>();
    private final long startedNanos;
    private int failures;
    private boolean away;
    private boolean everAnswered;
    private long answeredNanos;
    private @Nullable String why;

    StoreHealth(Store store, BudgetHealth budget, Time time, boolean hasLocalShare) {
        this.store = store;
        this.budget = budget;
        this.time = time;
        this.hasLocalShare = hasLocalShare;
        this.startedNanos = time.nanos();
    }

    boolean isOf(Store other) {
        return store == other;
    }

    /** Adds a listener that runs each time the store goes away or comes back. */
    public void listen(Runnable listener) {
        listeners.add(listener);
    }

    public boolean isAway() {
        return away;
    }

    /** Whether this process now opens connections on its local share. */
    public boolean usesLocalShare() {
        return away && hasLocalShare;
    }

    /** The reason for the last failure, for messages. */
    public String why() {
        return why == null ? "the store has not answered yet" : why;
    }

    void answered() {
        failures = 0;
        everAnswered = true;
        answeredNanos = time.nanos();
        if (away) {
            away = false;
            budget.logBack();
            listeners.forEach(Runnable::run);
        }
    }

    void failed(StoreException error) {
        if (error.kind() == StoreException.Kind.CONFLICT) {
            answered();
            return;
        }
        why = String.valueOf(error.getMessage());
        failures++;
        if (error.kind() == StoreException.Kind.REFUSED) {
            budget.logRefusal(why);
        }
        if (!away && !answersOthers(error.kind()) && failures >= FAILURES_OF_AN_OUTAGE) {
            budget.logAway(why);
            away = true;
            listeners.forEach(Runnable::run);
        }
    }

    /** Whether the store refused or throttled this call only, as far as is known. */
    private boolean answersOthers(StoreException.Kind kind) {
        if (kind == StoreException.Kind.UNAVAILABLE || (!everAnswered && kind != StoreException.Kind.THROTTLED)) {
            return false;
        }
        return time.nanos() - (everAnswered ? answeredNanos : startedNanos) < ANSWERS_OTHERS_NANOS;
    }
}
