package dev.reservoir.bench.pools;

import dev.reservoir.bench.stub.StubDriver;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What every pool is told.
 *
 * @param name the pool's name, unique in the process
 * @param url where to connect
 * @param driverClassName the driver for that URL
 * @param size connections to hold: minimum, maximum and initial number
 * @param acquireTimeout how long a checkout may wait
 * @param lifetime how old a connection may get, or null for the pool's default
 * @param openTimeout how long a connect may take, or null for the pool's default; ignored by pools that leave it to the driver
 * @param ration the database's limits, for a pool that can be told of them, or null if there are none
 * @param ownStart whether Reservoir starts and waits by its own defaults, as an application that sets nothing has it
 */
public record PoolSettings(
        String name,
        String url,
        String driverClassName,
        int size,
        Duration acquireTimeout,
        @Nullable Duration lifetime,
        @Nullable Duration openTimeout,
        @Nullable Ration ration,
        boolean ownStart) {

    /** A pool of stub connections, with half a minute to wait. */
    public static PoolSettings stub(String name, int size) {
        return of(name, StubDriver.URL, StubDriver.class.getName(), size);
    }

    public static PoolSettings of(String name, String url, String driverClassName, int size) {
        return new PoolSettings(name, url, driverClassName, size, Duration.ofSeconds(30), null, null, null, false);
    }

    public PoolSettings withAcquireTimeout(Duration timeout) {
        return new PoolSettings(name, url, driverClassName, size, timeout, lifetime, openTimeout, ration, ownStart);
    }

    public PoolSettings withLifetime(Duration time) {
        return new PoolSettings(name, url, driverClassName, size, acquireTimeout, time, openTimeout, ration, ownStart);
    }

    public PoolSettings withOpenTimeout(Duration timeout) {
        return new PoolSettings(name, url, driverClassName, size, acquireTimeout, lifetime, timeout, ration, ownStart);
    }

    public PoolSettings withRation(Ration shared) {
        return new PoolSettings(
                name, url, driverClassName, size, acquireTimeout, lifetime, openTimeout, shared, ownStart);
    }

    /** Nothing but the size is set; half a minute to wait is the default of most. */
    public PoolSettings withOwnStart() {
        return new PoolSettings(name, url, driverClassName, size, acquireTimeout, lifetime, openTimeout, ration, true);
    }
}
