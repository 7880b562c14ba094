package dev.reservoir.core.internal.calls;

import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.EventDispatcher;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the caller gives to an engine.
 *
 * @param leases null if connections need no leases
 * @param random one thread at a time uses it
 * @param events runs what may hang: listeners and log lines
 * @param <T> the connection
 */
public record EngineSpi<T>(
        Connector<T> connector,
        Permits permits,
        @Nullable Leases leases,
        Time time,
        RandomGenerator random,
        ListenerGuard<T> listeners,
        EventDispatcher events) {}
