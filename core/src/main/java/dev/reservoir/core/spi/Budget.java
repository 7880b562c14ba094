package dev.reservoir.core.spi;

import org.jspecify.annotations.Nullable;

/**
 * The part of one process in a budget that many processes share: permits, leases, or both. No method blocks except
 * {@link #close}.
 */
public interface Budget extends AutoCloseable {

    /** The source of permits, or null if this budget does not ration new connections. */
    @Nullable
    Permits permits();

    /** The source of leases, or null if this budget does not ration open connections. */
    @Nullable
    Leases leases();

    /**
     * Returns all permits and leases to the budget. Call it after the reservoirs that use it are closed. Blocks for a
     * few seconds at most.
     */
    @Override
    void close();
}
