package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The health of all stores of a budget. Permits and leases may be in two stores, and one of them may be away. Logs once
 * that a store cannot be reached, once that all can be reached again, and once each kind of call that a store refuses.
 * Never calls a store. Used only on the budget's serial executor.
 */
public final class BudgetHealth {
    /** Number of different refusals that are remembered and logged. It bounds the memory and the log. */
    private static final int REFUSALS_MAX = 20;

    /** Number of failures in a row that make an outage. One lost call does not. */
    private static final int FAILURES_OF_AN_OUTAGE = 2;

    /**
     * If a store refuses or throttles a call but has answered another one within this time, it is not away. A store
     * that has never answered and only throttles has the same time before it counts as away.
     */
    private static final long ANSWERS_OTHERS_NANOS = 20_000_000_000L;

    private final String cluster;
    private final boolean hasLocalShare;
    private final Logger log;
    private final Time time;
    private final List<StoreHealth> stores = new ArrayList<>();
    private final Set<String> refusals = new HashSet<>();
    private long awaySinceNanos;

    BudgetHealth(ClusterSettings settings, Time time) {
        this.cluster = settings.cluster();
        this.hasLocalShare = settings.whenAway() == WhenAway.LOCAL_SHARE;
        this.log = BudgetContext.log(settings);
        this.time = time;
    }

    /** Returns the health of this store. All users of the store share one object. */
    StoreHealth of(Store store) {
        for (StoreHealth known : stores) {
            if (known.store == store) {
                return known;
            }
        }
        StoreHealth health = new StoreHealth(store);
        stores.add(health);
        return health;
    }

    /** Whether any of the stores is away. */
    boolean isAway() {
        return stores.stream().anyMatch(StoreHealth::isAway);
    }

    private void logRefusal(String error) {
        if (refusals.size() < REFUSALS_MAX && refusals.add(error)) {
            log.warn("Reservoir: cluster budget refuses a call  endpoint={} error=\"{}\"", cluster, error);
        }
    }

    /** Logs that a store goes away, unless another one is away already. Call it before the store counts as away. */
    private void logAway(String error) {
        if (!isAway()) {
            awaySinceNanos = time.nanos();
            log.warn(
                    "Reservoir: cluster budget does not answer  endpoint={} meanwhile={} error=\"{}\"",
                    cluster,
                    hasLocalShare ? "local-share" : "stop",
                    error);
        }
    }

    /** Logs that a store is back, unless another one is still away. Call it after the store counts as back. */
    private void logBack() {
        if (!isAway()) {
            String away = Text.nanos(time.nanos() - awaySinceNanos);
            log.info("Reservoir: cluster budget answers again  endpoint={} after=\"{}\"", cluster, away);
        }
    }

    /** Tracks whether one store can be reached, from the outcome of each call. */
    public final class StoreHealth {
        private final Store store;
        private final List<Runnable> listeners = new ArrayList<>();
        private final long startedNanos = time.nanos();
        private int failures;
        private boolean away;
        private boolean everAnswered;
        private long answeredNanos;
        private @Nullable String why;

        private StoreHealth(Store store) {
            this.store = store;
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
                logBack();
                listeners.forEach(Runnable::run);
            }
        }

        void failed(StoreException error) {
            if (error.kind() == Kind.CONFLICT) {
                answered();
                return;
            }
            why = String.valueOf(error.getMessage());
            failures++;
            if (error.kind() == Kind.REFUSED) {
                logRefusal(why);
            }
            if (!away && !answersOthers(error.kind()) && failures >= FAILURES_OF_AN_OUTAGE) {
                logAway(why);
                away = true;
                listeners.forEach(Runnable::run);
            }
        }

        /** Whether the store refused or throttled this call only, as far as is known. */
        private boolean answersOthers(Kind kind) {
            if (kind == Kind.UNAVAILABLE || (!everAnswered && kind != Kind.THROTTLED)) {
                return false;
            }
            return time.nanos() - (everAnswered ? answeredNanos : startedNanos) < ANSWERS_OTHERS_NANOS;
        }
    }
}
