package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether the stores of a budget can be reached. Permits and leases may be in two stores, and one of them may be
 * away. Logs once that a store cannot be reached, once that all can be reached again, and once each kind of call that a
 * store refuses. Never calls a store. Used only on the budget's serial executor.
 */
public final class StoreHealth {
    /** Number of failures in a row that make an outage. One lost call does not. */
    private static final int FAILURES_OF_AN_OUTAGE = 2;

    /**
     * If a store refuses or throttles a call but has answered another one within this time, it is not away. A store
     * that has never answered and only throttles has the same time before it counts as away.
     */
    private static final long DOES_OTHERS_NANOS = 20_000_000_000L;

    /** Number of different refusals that are remembered and logged. It bounds the memory and the log. */
    private static final int REFUSALS_MOST = 20;

    private final ClusterSettings settings;
    private final Time time;
    private final List<Way> ways = new ArrayList<>();
    private final Set<String> refusals = new HashSet<>();
    private long sinceNanos;

    public StoreHealth(ClusterSettings settings, Time time) {
        this.settings = settings;
        this.time = time;
    }

    /** Returns the health of this store. All users of the store share one object. */
    Way to(Store store) {
        for (Way way : ways) {
            if (way.store == store) {
                return way;
            }
        }
        Way way = new Way(store);
        ways.add(way);
        return way;
    }

    /** Whether any of the stores is away. */
    public boolean isAway() {
        return ways.stream().anyMatch(way -> way.away);
    }

    private void sayRefused(String error) {
        if (refusals.size() < REFUSALS_MOST && refusals.add(error)) {
            settings.log()
                    .warn(
                            "Reservoir: cluster budget refuses a call  endpoint={} error=\"{}\"",
                            settings.cluster(),
                            error);
        }
    }

    private void sayAway(String error) {
        sinceNanos = time.nanos();
        settings.log()
                .warn(
                        "Reservoir: cluster budget does not answer  endpoint={} meanwhile={} error=\"{}\"",
                        settings.cluster(),
                        settings.whenAway() == WhenAway.LOCAL_SHARE ? "local-share" : "stop",
                        error);
    }

    private void sayBack() {
        settings.log()
                .info(
                        "Reservoir: cluster budget answers again  endpoint={} after=\"{}\"",
                        settings.cluster(),
                        Text.nanos(time.nanos() - sinceNanos));
    }

    /** The health of one store. */
    public final class Way {
        private final Store store;
        private final List<Runnable> listeners = new ArrayList<>();
        private final long startedNanos;
        private int failures;
        private boolean away;
        private boolean everAnswered;
        private long answeredNanos;
        private @Nullable String why;

        private Way(Store store) {
            this.store = store;
            this.startedNanos = time.nanos();
        }

        /** Adds a listener that runs each time the store goes away or comes back. */
        public void listen(Runnable listener) {
            listeners.add(listener);
        }

        public boolean isAway() {
            return away;
        }

        /** Whether this process now opens connections on its local share. */
        public boolean goesOnAlone() {
            return away && settings.whenAway() == WhenAway.LOCAL_SHARE;
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
                if (!StoreHealth.this.isAway()) {
                    sayBack();
                }
                listeners.forEach(Runnable::run);
            }
        }

        void failed(StoreException error) {
            switch (error.kind()) {
                case CONFLICT -> answered();
                case UNAVAILABLE, REFUSED, THROTTLED -> {
                    why = String.valueOf(error.getMessage());
                    failures++;
                    boolean doesOthers = false;
                    if (error.kind() == StoreException.Kind.REFUSED) {
                        sayRefused(why);
                    }
                    if (error.kind() != StoreException.Kind.UNAVAILABLE) {
                        long since = everAnswered ? answeredNanos : startedNanos;
                        doesOthers = time.nanos() - since < DOES_OTHERS_NANOS
                                && (everAnswered || error.kind() == StoreException.Kind.THROTTLED);
                    }
                    if (!away && !doesOthers && failures >= FAILURES_OF_AN_OUTAGE) {
                        if (!StoreHealth.this.isAway()) {
                            sayAway(why);
                        }
                        away = true;
                        listeners.forEach(Runnable::run);
                    }
                }
            }
        }
    }
}
