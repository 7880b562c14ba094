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
        if (users.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            throw new IllegalStateException("the pool's Arrow memory is closed");
        }
    }

    @Override
    public void release() {
        if (users.decrementAndGet() > 0) {
            return;
        }
        long openBytes = allocator.getAllocatedMemory();
        try {
            allocator.close();
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "the pool has ended, but " + openBytes + " bytes of its Arrow memory are still open", e);
        }
    }
}
