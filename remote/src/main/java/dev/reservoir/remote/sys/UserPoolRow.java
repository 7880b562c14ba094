package dev.reservoir.remote.sys;

/** A row of {@code sys.remote_user_pool_stats}: the pool of one mapping. */
record UserPoolRow(
        String serverName,
        String localUser,
        String remoteUser,
        int total,
        int active,
        int idle,
        int opening,
        int waiting,
        long acquires,
        long releases,
        long connectionsCreated,
        long connectionsDestroyed,
        long timeouts,
        long connectionErrors,
        long validationFailures,
        long queriesExecuted,
        double avgConnectionLifetimeSec,
        double avgAcquireWaitMs) {}
