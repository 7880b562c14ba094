package dev.reservoir.remote.adapter;

import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/**
 * The adapters that are installed, by name. An adapter from outside Reservoir replaces the one of Reservoir with the
 * same name. Immutable.
 */
public final class Adapters {
    /** The option for the driver that names an adapter other than that of the server's type. */
    public static final String ADAPTER_OPTION = "adapter";

    private static final String OURS = "dev.reservoir.remote.";

    private final Map<String, DatabaseAdapter> byName;

    private Adapters(Map<String, DatabaseAdapter> byName) {
        this.byName = byName;
    }

    /** Finds the adapters that {@link ServiceLoader} sees from this module. Does input and output. */
    public static Adapters installed() {
        return of(ServiceLoader.load(DatabaseAdapter.class, Adapters.class.getClassLoader()));
    }

    /** Uses these adapters and no others. */
    public static Adapters of(Iterable<DatabaseAdapter> adapters) {
        Map<String, DatabaseAdapter> byName = new TreeMap<>();
        for (DatabaseAdapter adapter : adapters) {
            boolean ours = adapter.getClass().getName().startsWith(OURS);
            if (!ours || !byName.containsKey(adapter.name())) {
                byName.put(adapter.name(), adapter);
            }
        }
        return new Adapters(byName);
    }

    public List<DatabaseAdapter> all() {
        return List.copyOf(byName.values());
    }

    /**
     * The adapter for this server: the one that the option {@code driver.adapter} names, or that of its type.
     *
     * @throws RemoteException RD032 if there is none
     */
    public DatabaseAdapter find(ServerDefinition server) throws RemoteException {
        String name = server.driverOptions()
                .getOrDefault(ADAPTER_OPTION, server.type().label());
        DatabaseAdapter adapter = byName.get(name);
        if (adapter == null) {
            throw new RemoteException(
                    RemoteErrorCode.INVALID_OPTION,
                    "server " + server.name() + ": no adapter " + name + "; installed: " + byName.keySet());
        }
        return adapter;
    }
}
