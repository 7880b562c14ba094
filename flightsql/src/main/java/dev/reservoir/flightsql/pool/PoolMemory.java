package dev.reservoir.flightsql.pool;

import dev.reservoir.flightsql.connect.FlightConnector;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/** The pool's Arrow memory. Closed by its last user: the pool, a connection, or a result that outlives both. */
final class PoolMemory implements FlightConnector.Memory {
    private final BufferAllocator allocator;
    private final AtomicInteger users = new AtomicInteger(1);

    PoolMemory(String name, @Nullable BufferAllocator parent) {
        allocator = parent == null
                ? new RootAllocator(Long.MAX_VALUE)
                : parent.newChildAllocator("reservoir-" + name, 0, Long.MAX_VALUE);
    }

    @Override
    public BufferAllocator allocator() {
        return allocator;
    }

    @Override
    public void retain() {
        users.incrementAndGet();
    }

    @Override
    public void release() {
        if (users.decrementAndGet() == 0) {
            allocator.close();
        }
    }
}
