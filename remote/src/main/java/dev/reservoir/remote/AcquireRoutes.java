package dev.reservoir.remote;

import dev.reservoir.remote.pool.ServerPool;
import dev.reservoir.remote.pool.UserPool;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the pools of recent acquires, so that the next acquire for the same server and user needs one look in an
 * array instead of a look-up of the server and another one of the user. Takes no lock.
 *
 * <p>A remembered pool is valid until it retires: it belongs to the user's own mapping, and every change of this
 * mapping or of its server retires the pool. A pool for {@code PUBLIC} is never remembered, because a mapping that is
 * added for one user does not retire it. Threads may read an old entry of the array for a moment; they check it like
 * any other.
 */
final class AcquireRoutes {
    /** Bounds the pools that are remembered. A power of two. Users that share an entry take turns. */
    private static final int SIZE = 256;

    private final @Nullable Route[] routes = new @Nullable Route[SIZE];

    /** The pools for this server and user, or null if they are not remembered or not valid any more. */
    @Nullable
    Route find(String server, String localUser) {
        Route route = routes[index(server, localUser)];
        return route != null && route.isFor(server, localUser) ? route : null;
    }

    /** Remembers pools, if they belong to the user alone. Returns them. */
    Route add(Route route) {
        if (route.pool.mapping().localUser().equals(route.localUser)) {
            routes[index(route.server, route.localUser)] = route;
        }
        return route;
    }

    /** Forgets pools that have retired, so that their memory becomes free. */
    void forgetRetired() {
        for (int i = 0; i < SIZE; i++) {
            Route route = routes[i];
            if (route != null && route.pool.isRetired()) {
                routes[i] = null;
            }
        }
    }

    private static int index(String server, String localUser) {
        int hash = 31 * server.hashCode() + localUser.hashCode();
        return (hash ^ (hash >>> 16)) & (SIZE - 1);
    }

    /**
     * The pools that serve a user. The names are the caller's own objects: most callers pass the same ones again, and
     * then no characters are compared.
     */
    record Route(String server, String localUser, ServerPool serverPool, UserPool pool) {
        private boolean isFor(String wantedServer, String wantedUser) {
            return localUser.equals(wantedUser) && server.equals(wantedServer) && !pool.isRetired();
        }

        /** Acquires a connection that is ready if the server is healthy, or returns null. Never blocks. */
        @Nullable
        Connection tryAcquire() {
            return serverPool.isHealthy() ? pool.tryAcquire() : null;
        }
    }
}
