package dev.reservoir.bench.pools;

import dev.reservoir.bench.rationed.RationLimits;
import dev.reservoir.bench.rationed.RationedDatabase;
import dev.reservoir.bench.rationed.RationedDriver;
import dev.reservoir.bench.stub.StubDriver;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings that every pool gets.
 *
 * @param name the pool's name, unique in the process
 * @param url the database to connect to
 * @param driverClassName the driver for that URL
 * @param size connections to hold: minimum, maximum and initial number
 * @param acquireTimeout longest wait of a checkout
 * @param lifetime longest lifetime of a connection, or null for the pool's default
 * @param openTimeout longest time of a connect, or null for the pool's default; ignored by pools that leave it to the
 *     driver
 * @param ration the database's limits, for a pool that can use them, or null if there are none; pools with the same
 *     limits share the permits for them
 * @param ownStart whether Reservoir starts and waits by its own defaults, as in an application that sets nothing
 */
public record PoolSettings(
        String name,
        String url,
        String driverClassName,
        int size,
        Duration acquireTimeout,
        @Nullable Duration lifetime,
        @Nullable Duration openTimeout,
        @Nullable RationLimits ration,
        boolean ownStart) {

    /** A pool of stub connections with an acquire timeout of half a minute. */
    public static PoolSettings stub(String name, int size) {
        return of(name, StubDriver.URL, StubDriver.class.getName(), size);
    }

    /** A pool on a rationed database, which knows it by the pool's name. */
    public static PoolSettings rationed(String name, RationedDatabase database, int size) {
        return of(name, database.url(name), RationedDriver.class.getName(), size);
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

    public PoolSettings withRation(RationLimits shared) {
        return new PoolSettings(
                name, url, driverClassName, size, acquireTimeout, lifetime, openTimeout, shared, ownStart);
    }

    /** Sets nothing but the size. The acquire timeout of half a minute is the default of most pools. */
    public PoolSettings withOwnStart() {
        return new PoolSettings(name, url, driverClassName, size, acquireTimeout, lifetime, openTimeout, ration, true);
    }
}
