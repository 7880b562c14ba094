package dev.reservoir.remote;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The registries of this process that are not closed, by their names. */
final class RegistryNames {
    private static final Map<String, RemoteConnectionPoolRegistry> OPEN = new ConcurrentHashMap<>();

    private RegistryNames() {}

    static @Nullable RemoteConnectionPoolRegistry find(String name) {
        return OPEN.get(name);
    }

    static RemoteConnectionPoolRegistry findOrCreate(
            String name, Function<String, RemoteConnectionPoolRegistry> create) {
        return OPEN.computeIfAbsent(name, create);
    }

    /** Returns false if the name is taken. */
    static boolean add(RemoteConnectionPoolRegistry registry) {
        return OPEN.putIfAbsent(registry.name(), registry) == null;
    }

    static void remove(RemoteConnectionPoolRegistry registry) {
        OPEN.remove(registry.name(), registry);
    }
}
