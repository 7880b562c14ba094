package dev.reservoir.dsql.tx;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Records which thread runs a transaction on which data source, and refuses a transaction inside another. Never
 * blocks.
 */
final class NestingGuard {
    /** The running operations by thread and data source. An entry lives as long as its transaction. */
    private static final Map<Place, String> RUNNING = new ConcurrentHashMap<>();

    private final Place place;

    private NestingGuard(Place place) {
        this.place = place;
    }

    static NestingGuard enter(DataSource dataSource, String operation) {
        Place place = new Place(Thread.currentThread(), dataSource);
        String outer = RUNNING.putIfAbsent(place, operation);
        if (outer != null) {
            throw new IllegalStateException(operation + ": started inside the transaction " + outer
                    + " on the same data source; it would be committed separately. Use the connection of " + outer
                    + " instead");
        }
        return new NestingGuard(place);
    }

    void leave() {
        RUNNING.remove(place);
    }

    /** Compares data sources by identity, because some of them define equality in another way. */
    private record Place(Thread thread, DataSource dataSource) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Place place && place.thread == thread && place.dataSource == dataSource;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(thread) + System.identityHashCode(dataSource);
        }
    }
}
