package dev.reservoir.jdbc.pool;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The running data sources of this process, by name. A name is taken from before the start until after the end. If several want
 * the same name, the first one gets it, and each later one gets it with the first free number behind it: {@code orders-2}.
 */
public final class DataSourceRegistry {
    private static final Map<String, Place> PLACES = new ConcurrentHashMap<>();

    private DataSourceRegistry() {}

    /** Takes this name, or this name and a number. Ends, since every name that it finds taken is one of a finite number. */
    static Place take(String wanted) {
        Place place = new Place(wanted, 1);
        while (PLACES.putIfAbsent(place.name, place) != null) {
            place = new Place(wanted, place.number + 1);
        }
        return place;
    }

    /** The one of this name, if it runs. */
    public static @Nullable RunningDataSource find(String name) {
        Place place = PLACES.get(name);
        return place == null ? null : place.running;
    }

    /** The running ones that wanted this name, whether they got it or it and a number; the one that got it first. */
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

    /** A taken name. */
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

        /** What was asked for. */
        String wanted() {
            return wanted;
        }

        /** What was taken. */
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
