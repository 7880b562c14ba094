package dev.reservoir.jdbc.pool;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The running data sources of this process, by name. A name is taken from before the start until after the end. If
 * several data sources want the same name, the first one gets it. Each later one gets the name with the first free
 * number, such as {@code orders-2}. Never starts or closes a data source.
 */
public final class DataSourceRegistry {
    private static final Map<String, Place> PLACES = new ConcurrentHashMap<>();

    private DataSourceRegistry() {}

    /** Takes this name, or this name with a number. The loop ends, because only a finite number of names is taken. */
    static Place take(String wanted) {
        Place place = new Place(wanted, 1);
        while (PLACES.putIfAbsent(place.name, place) != null) {
            place = new Place(wanted, place.number + 1);
        }
        return place;
    }

    /** Returns the running data source of this name, or null. */
    public static @Nullable RunningDataSource find(String name) {
        Place place = PLACES.get(name);
        return place == null ? null : place.running;
    }

    /**
     * Returns the running data sources that wanted this name, with or without a number. The one without a number comes
     * first.
     */
    public static List<RunningDataSource> findAll(String wanted) {
        return PLACES.values().stream()
                .filter(place -> place.wanted.equals(wanted))
                .sorted(Comparator.comparingInt(place -> place.number))
                .map(place -> place.running)
                .<RunningDataSource>mapMulti((running, found) -> {
                    if (running != null) {
                        found.accept(running);
                    }
                })
                .toList();
    }

    public static Set<String> names() {
        return new TreeSet<>(PLACES.keySet());
    }

    /** A name that is taken. */
    static final class Place {
        private final String wanted;
        private final int number;
        private final String name;
        private volatile @Nullable RunningDataSource running;

        private Place(String wanted, int number) {
            this.wanted = wanted;
            this.number = number;
            this.name = number == 1 ? wanted : wanted + "-" + number;
        }

        /** The name that was asked for. */
        String wanted() {
            return wanted;
        }

        /** The name that was taken, perhaps with a number. */
        String name() {
            return name;
        }

        void fill(RunningDataSource value) {
            running = value;
        }

        void free() {
            PLACES.remove(name, this);
        }
    }
}
