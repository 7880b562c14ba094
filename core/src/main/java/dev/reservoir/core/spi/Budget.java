package dev.reservoir.core.spi;

import org.jspecify.annotations.Nullable;

/** One process's part in a budget that many processes share: permits, leases, or both. No method blocks but {@link #close}. */
public interface Budget extends AutoCloseable {

    /** Where permits come from, or null if this budget does not ration new connections. */
    @Nullable
    Permits permits();

    /** Where leases come from, or null if this budget does not ration open connections. */
    @Nullable
    Leases leases();

    /** Gives everything back. To be called when the reservoirs that use it are closed. Blocks for a few seconds at most. */
    @Override
    void close();
}
