package dev.reservoir.remote;

import dev.reservoir.core.spi.Time;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.pool.ServerPool;
import dev.reservoir.remote.pool.UserPool;
import java.util.List;

/** Opens or closes connections of a server until it has a given number. Holds no state. */
final class PoolSizing {
    /** How often a warm-up looks whether the connections are open. */
    private static final long LOOK_MILLIS = 5;

    private final Time time;

    PoolSizing(Time time) {
        this.time = time;
    }

    /** See {@link RemoteConnectionPoolRegistry#warmupServer}. */
    boolean warmUp(ServerPool pool, int count) throws RemoteException {
        PoolConfiguration config = pool.definition().pool();
        check("count", count, config.maxConnections());
        List<UserPool> warming = pool.warmUp(count);
        long deadline = time.nanos() + config.connectTimeout().toNanos();
        while (pool.stats().totalConnections() < count) {
            if (warming.isEmpty() || time.nanos() >= deadline || !sleptWell()) {
                return false;
            }
        }
        return true;
    }

    /** See {@link RemoteConnectionPoolRegistry#resize}. */
    boolean resize(ServerPool pool, int target) throws RemoteException {
        check("target", target, pool.definition().pool().maxConnections());
        int open = pool.stats().totalConnections();
        return open > target ? pool.closeIdle(open - target) == open - target : warmUp(pool, target);
    }

    private static boolean sleptWell() {
        try {
            Thread.sleep(LOOK_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void check(String what, int value, int max) throws RemoteException {
        if (value < 0 || value > max) {
            throw RemoteException.invalidOption(what, value, "0 to max_connections, which is " + max);
        }
    }
}
