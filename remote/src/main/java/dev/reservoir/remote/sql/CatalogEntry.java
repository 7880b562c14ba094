package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A server with its mappings. Immutable.
 *
 * @param mappings by local user
 */
record CatalogEntry(ServerDefinition server, Map<String, UserMapping> mappings) {
    static CatalogEntry of(ServerDefinition server) {
        return new CatalogEntry(server, Map.of());
    }

    CatalogEntry with(ServerDefinition replacement) {
        return new CatalogEntry(replacement, mappings);
    }

    CatalogEntry with(UserMapping mapping) {
        Map<String, UserMapping> copy = new TreeMap<>(mappings);
        copy.put(mapping.localUser(), mapping);
        return new CatalogEntry(server, Collections.unmodifiableMap(copy));
    }

    CatalogEntry without(String localUser) {
        Map<String, UserMapping> copy = new TreeMap<>(mappings);
        copy.remove(localUser);
        return new CatalogEntry(server, Collections.unmodifiableMap(copy));
    }

    /** The mapping of the local user, else that of PUBLIC, else null. */
    @Nullable
    UserMapping mappingFor(String localUser) {
        UserMapping own = mappings.get(localUser);
        return own == null ? mappings.get(UserMapping.PUBLIC) : own;
    }

    /** The mapping of the health checks: the one that the server names, else that of PUBLIC, else the first. */
    @Nullable
    UserMapping healthMapping() {
        String user = server.health().user();
        if (user != null) {
            return mappingFor(user);
        }
        UserMapping open = mappings.get(UserMapping.PUBLIC);
        return open != null || mappings.isEmpty()
                ? open
                : mappings.values().iterator().next();
    }
}
