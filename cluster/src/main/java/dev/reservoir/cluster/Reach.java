package dev.reservoir.cluster;

import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.core.Text;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether the store can be reached. Says once that it cannot, and once that it can again. Guarded by the desk. */
final class Reach {
    /** One call that is lost is no outage. */
    private static final int FAILURES_OF_AN_OUTAGE = 2;

    private final ClusterSettings settings;
    private final Time time;
    private final List<Runnable> listeners = new ArrayList<>();
    private int failures;
    private boolean away;
    private long sinceNanos;
    private @Nullable String why;

    Reach(ClusterSettings settings, Time time) {
        this.settings = settings;
        this.time = time;
    }

    /** Hears whenever the store goes away or comes back. */
    void listen(Runnable listener) {
        listeners.add(listener);
    }

    boolean isAway() {
        return away;
    }

    /** Whether to go on alone now. */
    boolean goesOnAlone() {
        return away && settings.whenAway() == WhenAway.LOCAL_SHARE;
    }

    /** Why the last call failed, for messages. */
    String why() {
        return why == null ? "the store has not answered yet" : why;
    }

    void answered() {
        failures = 0;
        if (away) {
            away = false;
            settings.log()
                    .info(
                            "Reservoir: cluster budget answers again  endpoint={} after=\"{}\"",
                            settings.cluster(),
                            Text.nanos(time.nanos() - sinceNanos));
            listeners.forEach(Runnable::run);
        }
    }

    void failed(StoreException error) {
        switch (error.kind()) {
            case THROTTLED, CONFLICT -> answered();
            case UNAVAILABLE, REFUSED -> {
                why = String.valueOf(error.getMessage());
                failures++;
                if (!away && failures >= FAILURES_OF_AN_OUTAGE) {
                    away = true;
                    sinceNanos = time.nanos();
                    settings.log()
                            .warn(
                                    "Reservoir: cluster budget does not answer  endpoint={} meanwhile={} error=\"{}\"",
                                    settings.cluster(),
                                    settings.whenAway() == WhenAway.LOCAL_SHARE ? "local-share" : "stop",
                                    why);
                    listeners.forEach(Runnable::run);
                }
            }
        }
    }
}
