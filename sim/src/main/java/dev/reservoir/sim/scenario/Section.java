package dev.reservoir.sim.scenario;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One map of a scenario file, with the keys that it accepts, in the order of the table. */
public final class Section {
    private final String place;
    private final List<Key<?, ?>> keys = new ArrayList<>();

    /**
     * Creates a section without keys.
     *
     * @param place says where its keys stand, such as {@code in a service}
     */
    Section(String place) {
        this.place = place;
    }

    /** Says where the keys of this section stand. */
    public String place() {
        return place;
    }

    /** The keys, in order. */
    public List<Key<?, ?>> keys() {
        return List.copyOf(keys);
    }

    /** The names of the keys, in order. */
    public List<String> names() {
        return keys.stream().map(Key::name).toList();
    }

    /** Adds a key whose component has the same name. */
    <P extends ScenarioPart<P>, T> Key<P, T> key(Class<P> part, String name, ValueType<T> type) {
        return key(part, name, name, type);
    }

    /** Adds a key whose component has another name; null if the value is not stored. */
    <P extends ScenarioPart<P>, T> Key<P, T> key(
            Class<P> part, String name, @Nullable String component, ValueType<T> type) {
        return add(new Key<>(part, name, component, type));
    }

    /** Adds a key whose value is a map or a list. */
    <P extends ScenarioPart<P>, T> Key<P, T> structure(Class<P> part, String name, @Nullable String component) {
        return add(new Key<>(part, name, component, null));
    }

    private <P extends ScenarioPart<P>, T> Key<P, T> add(Key<P, T> key) {
        keys.add(key);
        return key;
    }
}
