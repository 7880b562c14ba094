package dev.reservoir.jdbc;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The running data sources of this process, by name. A name is taken from before the start until after the end. */
final class Registry {
    private static final Map<String, Place> PLACES = new ConcurrentHashMap<>();

    private Registry() {}

    /** Takes a name. */
    static Place take(String name) {
        Place place = new Place(name);
        if (PLACES.putIfAbsent(name, place) != null) {
            throw new IllegalStateException("name is " + name
                    + "; allowed: a name that no other running ReservoirDataSource has. Close that one first, or"
                    + " give this one another name");
        }
        return place;
    }

    /** The one of this name, if it runs. */
    static @Nullable Running find(String name) {
        Place place = PLACES.get(name);
        return place == null ? null : place.running;
    }

    static Set<String> names() {
        return new TreeSet<>(PLACES.keySet());
    }

    /** A taken name. */
    static final class Place {
        private final String name;
        private volatile @Nullable Running running;

        private Place(String name) {
            this.name = name;
        }

        void fill(Running value) {
            running = value;
        }

        void free() {
            PLACES.remove(name, this);
        }
    }
}
