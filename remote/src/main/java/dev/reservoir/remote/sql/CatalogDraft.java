package dev.reservoir.remote.sql;

import dev.reservoir.core.util.NearestName;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a catalog that have not taken effect. A method that throws has changed nothing. Not for use by several
 * threads.
 */
final class CatalogDraft {
    /** Most servers in a catalog. Each has pools and a health check, so more is most likely a mistake. */
    private static final int SERVERS_MAX = 10_000;

    /** Most mappings of one server. */
    private static final int MAPPINGS_MAX = 100_000;

    private final Map<String, CatalogEntry> entries;
    private final CatalogCheck check;
    private final List<Consumer<CatalogListener>> events = new ArrayList<>();

    CatalogDraft(Map<String, CatalogEntry> entries, CatalogCheck check) {
        this.entries = new HashMap<>(entries);
        this.check = check;
    }

    Map<String, CatalogEntry> entries() {
        return Collections.unmodifiableMap(entries);
    }

    List<Consumer<CatalogListener>> events() {
        return events;
    }

    boolean hasServer(String name) {
        return entries.containsKey(name);
    }

    CatalogEntry entry(String name) throws RemoteException {
        return known(entries, name);
    }

    static CatalogEntry known(Map<String, CatalogEntry> entries, String name) throws RemoteException {
        CatalogEntry entry = entries.get(name);
        if (entry == null) {
            String nearest = NearestName.likely(name, entries.keySet());
            throw new RemoteException(
                    RemoteErrorCode.SERVER_NOT_FOUND,
                    "there is no server " + shown(name) + (nearest == null ? "" : "; nearest: " + nearest));
        }
        return entry;
    }

    void createServer(ServerDefinition server) throws RemoteException {
        if (hasServer(server.name())) {
            throw refused("server " + server.name() + " exists already");
        }
        if (entries.size() >= SERVERS_MAX) {
            throw refused("there are " + entries.size() + " servers; allowed: at most " + SERVERS_MAX);
        }
        check.check(server);
        entries.put(server.name(), CatalogEntry.of(server));
        events.add(listener -> listener.serverCreated(server));
    }

    void alterServer(ServerDefinition after) throws RemoteException {
        CatalogEntry entry = entry(after.name());
        ServerDefinition before = entry.server();
        check.check(after);
        for (UserMapping mapping : entry.mappings().values()) {
            check.check(after, mapping);
        }
        entries.put(after.name(), entry.with(after));
        events.add(listener -> listener.serverAltered(before, after));
    }

    void dropServer(String name, boolean cascade) throws RemoteException {
        CatalogEntry entry = entry(name);
        int mappings = entry.mappings().size();
        if (mappings > 0 && !cascade) {
            throw refused("server " + name + " has " + mappings + (mappings == 1 ? " user mapping" : " user mappings")
                    + "; drop them first, or use CASCADE");
        }
        entries.remove(name);
        entry.mappings().values().forEach(mapping -> events.add(listener -> listener.mappingDropped(mapping)));
        events.add(listener -> listener.serverDropped(entry.server()));
    }

    /** The mapping of exactly this user, which may be PUBLIC. Returns null if there is none. */
    @Nullable
    UserMapping findMapping(String server, String localUser) throws RemoteException {
        return entry(server).mappings().get(localUser);
    }

    UserMapping mapping(String server, String localUser) throws RemoteException {
        UserMapping mapping = findMapping(server, localUser);
        if (mapping == null) {
            throw new RemoteException(
                    RemoteErrorCode.USER_MAPPING_NOT_FOUND,
                    "there is no user mapping for " + shown(localUser) + " on server " + server);
        }
        return mapping;
    }

    void createMapping(UserMapping mapping) throws RemoteException {
        CatalogEntry entry = entry(mapping.server());
        if (entry.mappings().containsKey(mapping.localUser())) {
            throw refused("the user mapping for " + mapping.localUser() + " on server " + mapping.server()
                    + " exists already");
        }
        if (entry.mappings().size() >= MAPPINGS_MAX) {
            throw refused("server " + mapping.server() + " has "
                    + entry.mappings().size() + " user mappings; allowed: at most " + MAPPINGS_MAX);
        }
        check.check(entry.server(), mapping);
        entries.put(mapping.server(), entry.with(mapping));
        events.add(listener -> listener.mappingCreated(mapping));
    }

    void alterMapping(UserMapping after) throws RemoteException {
        UserMapping before = mapping(after.server(), after.localUser());
        CatalogEntry entry = entry(after.server());
        check.check(entry.server(), after);
        entries.put(after.server(), entry.with(after));
        events.add(listener -> listener.mappingAltered(before, after));
    }

    void dropMapping(String server, String localUser) throws RemoteException {
        UserMapping mapping = mapping(server, localUser);
        entries.put(server, entry(server).without(localUser));
        events.add(listener -> listener.mappingDropped(mapping));
    }

    private static RemoteException refused(String message) {
        return new RemoteException(RemoteErrorCode.INVALID_OPTION, message);
    }

    private static String shown(String name) {
        return name.length() <= 128 ? name : name.substring(0, 128) + "...";
    }
}
