package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers and user mappings of a registry. A change takes effect whole or not at all, and listeners are told of it.
 * Opens no connection.
 *
 * <p>Safe for use by several threads. A lookup takes no lock: it reads one immutable map. Changes exclude each other,
 * and wait for the listeners.
 */
public final class Catalog {
    private static final Logger LOG = LoggerFactory.getLogger(Catalog.class);

    private final InstantSource clock;
    private final CatalogCheck check;
    private final List<CatalogListener> listeners = new CopyOnWriteArrayList<>();

    /** Held while a change is made and while listeners are told of it. */
    private final ReentrantLock changing = new ReentrantLock();

    /** By name of the server. Replaced as a whole, under {@link #changing}. */
    private volatile Map<String, CatalogEntry> entries = Map.of();

    public Catalog() {
        this(InstantSource.system(), CatalogCheck.NONE);
    }

    /**
     * A catalog without servers.
     *
     * @param clock gives the times at which definitions were created and altered
     * @param check may refuse definitions
     */
    public Catalog(InstantSource clock, CatalogCheck check) {
        this.clock = clock;
        this.check = check;
    }

    /** Throws RD030 if there is no such server. */
    public ServerDefinition server(String name) throws RemoteException {
        return CatalogDraft.known(entries, name).server();
    }

    public @Nullable ServerDefinition findServer(String name) {
        CatalogEntry entry = entries.get(name);
        return entry == null ? null : entry.server();
    }

    /**
     * The mapping with which the local user logs in: its own, else that of PUBLIC.
     *
     * @throws RemoteException RD030 if there is no such server, RD031 if there is no mapping
     */
    public UserMapping mapping(String server, String localUser) throws RemoteException {
        UserMapping mapping = CatalogDraft.known(entries, server).mappingFor(localUser);
        if (mapping == null) {
            throw new RemoteException(
                    RemoteErrorCode.USER_MAPPING_NOT_FOUND,
                    "server " + server + " has no user mapping for " + localUser + " and none for PUBLIC; add one with"
                            + " CREATE USER MAPPING");
        }
        return mapping;
    }

    /** The mapping with which the local user logs in: its own, else that of PUBLIC, else null. */
    public @Nullable UserMapping findMapping(String server, String localUser) {
        CatalogEntry entry = entries.get(server);
        return entry == null ? null : entry.mappingFor(localUser);
    }

    /**
     * The mapping with which the health checks of a server log in: that of {@code health_check_user}, else that of
     * PUBLIC, else the first in the alphabet. Returns null if there is none.
     */
    public @Nullable UserMapping healthMapping(String server) {
        CatalogEntry entry = entries.get(server);
        return entry == null ? null : entry.healthMapping();
    }

    /** All servers, by name. */
    public List<ServerDefinition> servers() {
        return entries.values().stream()
                .map(CatalogEntry::server)
                .sorted(Comparator.comparing(ServerDefinition::name))
                .toList();
    }

    /** All mappings, by server and local user. */
    public List<UserMapping> mappings() {
        return entries.values().stream()
                .flatMap(entry -> entry.mappings().values().stream())
                .sorted(Comparator.comparing(UserMapping::server).thenComparing(UserMapping::localUser))
                .toList();
    }

    /** The mappings of a server, by local user. Empty if there is no such server. */
    public List<UserMapping> mappings(String server) {
        CatalogEntry entry = entries.get(server);
        return entry == null ? List.of() : List.copyOf(entry.mappings().values());
    }

    /** Adds a server. Sets its times. Throws RD032 if there is one of this name. */
    public void createServer(ServerDefinition server) throws RemoteException {
        Instant now = clock.instant();
        ServerDefinition created = server.toBuilder().created(now).modified(now).build();
        change(draft -> draft.createServer(created));
    }

    /** Replaces the server of the same name. Sets the time of change; keeps id and time of creation. */
    public void alterServer(ServerDefinition server) throws RemoteException {
        change(draft -> draft.alterServer(altered(draft.entry(server.name()).server(), server.toBuilder())));
    }

    /** Changes settings of a server's pool. No other change comes between the reading of the old ones and this one. */
    public void alterPool(String server, UnaryOperator<PoolConfiguration.Builder> settings) throws RemoteException {
        change(draft -> {
            ServerDefinition before = draft.entry(server).server();
            PoolConfiguration pool = settings.apply(before.pool().toBuilder()).build();
            draft.alterServer(altered(before, before.toBuilder().pool(pool)));
        });
    }

    /** Removes a server. Throws RD030 if there is none, and RD032 if it has mappings, unless {@code cascade}. */
    public void dropServer(String name, boolean cascade) throws RemoteException {
        change(draft -> draft.dropServer(name, cascade));
    }

    /** Adds a mapping. Sets its times. Throws RD030 if there is no such server, RD032 if there is such a mapping. */
    public void createMapping(UserMapping mapping) throws RemoteException {
        Instant now = clock.instant();
        UserMapping created = mapping.toBuilder().created(now).modified(now).build();
        change(draft -> draft.createMapping(created));
    }

    /** Replaces the mapping of the same server and user. Sets the time of change; keeps id and time of creation. */
    public void alterMapping(UserMapping mapping) throws RemoteException {
        change(draft ->
                draft.alterMapping(altered(draft.mapping(mapping.server(), mapping.localUser()), mapping.toBuilder())));
    }

    /** Removes the mapping of exactly this user. Throws RD030 or RD031 if there is none. */
    public void dropMapping(String server, String localUser) throws RemoteException {
        change(draft -> draft.dropMapping(server, localUser));
    }

    public void addListener(CatalogListener listener) {
        listeners.add(listener);
    }

    public void removeListener(CatalogListener listener) {
        listeners.remove(listener);
    }

    Instant now() {
        return clock.instant();
    }

    ServerDefinition altered(ServerDefinition before, ServerDefinition.Builder after) throws RemoteException {
        return after.id(before.id()).created(before.created()).modified(now()).build();
    }

    UserMapping altered(UserMapping before, UserMapping.Builder after) throws RemoteException {
        return after.id(before.id()).created(before.created()).modified(now()).build();
    }

    /** Makes several changes, all or none. */
    void change(Change change) throws RemoteException {
        if (changing.isHeldByCurrentThread()) {
            throw new IllegalStateException("bug: a listener of the catalog changes the catalog");
        }
        changing.lock();
        try {
            CatalogDraft draft = new CatalogDraft(entries, check);
            change.applyTo(draft);
            entries = draft.entries();
            draft.events().forEach(this::tell);
        } finally {
            changing.unlock();
        }
    }

    private void tell(Consumer<CatalogListener> event) {
        for (CatalogListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException e) {
                LOG.error(
                        "Reservoir: listener of the catalog failed  listener={}",
                        listener.getClass().getName(),
                        e);
            }
        }
    }

    /** A change that throws has no effect. */
    interface Change {
        void applyTo(CatalogDraft draft) throws RemoteException;
    }
}
