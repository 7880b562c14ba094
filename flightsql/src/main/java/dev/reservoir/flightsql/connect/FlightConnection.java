package dev.reservoir.flightsql.connect;

import io.grpc.Attributes;
import io.grpc.ClientTransportFilter;
import io.grpc.ManagedChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One channel, which is one TCP connection, which is one session of the server.
 *
 * <p>A gRPC channel connects again by itself when its TCP connection ends. The server would then see a new peer and
 * give it a new, empty session, without an error. So this class allows one TCP connection only: when it ends, or when
 * another one becomes ready, it shuts the channel down. A call that waits for the second TCP connection fails before
 * anything is sent on it, because gRPC asks the transport filter before it uses a new TCP connection.
 *
 * <p>Streams keep Arrow memory of the connection. The memory is given back with the last of them, so a connection may
 * be closed while a stream is open.
 */
public final class FlightConnection {
    /** Bounds the wait for a channel that was shut down. It needs some milliseconds. */
    private static final long TERMINATION_SECONDS = 5;

    /**
     * Bounds the wait for memory of messages that gRPC had read when the channel ended. Its threads free them a moment
     * later.
     */
    private static final long MEMORY_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long MEMORY_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final Logger log = LoggerFactory.getLogger(FlightConnection.class);

    private final ManagedChannel channel;
    private final BufferAllocator memory;
    private final FlightClient flight;
    private final FlightSqlClient client;
    private final AtomicReference<@Nullable String> whyLost = new AtomicReference<>();
    private final Runnable memoryFreed;

    /** The connection itself and every open stream. */
    private final AtomicInteger memoryUsers = new AtomicInteger(1);

    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable Runnable whenLost;

    /**
     * Does not connect yet; the first call does.
     *
     * @param newChannel creates the channel with a filter that sees its TCP connections
     * @param memoryFreed runs once, when the connection is closed and holds no Arrow memory any more
     */
    FlightConnection(
            BufferAllocator allocator,
            Function<ClientTransportFilter, ManagedChannel> newChannel,
            Runnable memoryFreed) {
        this.memoryFreed = memoryFreed;
        OneTransport filter = new OneTransport();
        channel = newChannel.apply(filter);
        filter.connection = this;
        memory = allocator.newChildAllocator("reservoir-connection", 0, Long.MAX_VALUE);
        flight = FlightGrpcUtils.createFlightClient(memory, channel);
        client = new FlightSqlClient(flight);
    }

    /** Arrow's client on this connection. */
    public FlightSqlClient client() {
        return client;
    }

    /** Arrow's client for calls that are not Flight SQL's. */
    public FlightClient flight() {
        return flight;
    }

    /** Whether the TCP connection has ended, and with it the session. */
    public boolean isLost() {
        return whyLost.get() != null;
    }

    /** Why the session is gone, or null if it is not. */
    public @Nullable String whyLost() {
        return whyLost.get();
    }

    /** Calls the action when the TCP connection ends, or now if it has. */
    public void watch(Runnable action) {
        whenLost = action;
        if (isLost()) {
            action.run();
        }
    }

    private void lose(String why) {
        if (whyLost.compareAndSet(null, why)) {
            // Must not wait, because this runs on a thread of gRPC. Ends all calls, too.
            channel.shutdownNow();
            Runnable action = whenLost;
            if (action != null) {
                action.run();
            }
        }
    }

    /**
     * A stream begins that may hold Arrow memory of this connection.
     *
     * @throws IllegalStateException if the connection is closed and has given its memory back
     */
    public void retainMemory() {
        if (memoryUsers.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            throw new IllegalStateException("the connection is closed");
        }
    }

    /**
     * A stream has ended and holds nothing any more. Called once for each {@link #retainMemory}. Blocks for a moment if
     * the connection is closed and this was its last stream.
     */
    public void releaseMemory() {
        if (memoryUsers.decrementAndGet() > 0) {
            return;
        }
        // Arrow's client does not close its memory on a thread that is interrupted.
        boolean interrupted = Thread.interrupted();
        try {
            awaitFreeMemory();
            flight.close();
            memory.close();
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (IllegalStateException leaked) {
            // Arrow throws it. A connection that cannot be counted as closed would be worse than some lost bytes.
            log.warn(
                    "Flight SQL: a connection ended, but some of its Arrow memory is still open  bytes={}",
                    memory.getAllocatedMemory(),
                    leaked);
        } finally {
            memoryFreed.run();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void awaitFreeMemory() {
        long begun = System.nanoTime();
        while (memory.getAllocatedMemory() > 0 && System.nanoTime() - begun < MEMORY_PATIENCE_NANOS) {
            LockSupport.parkNanos(MEMORY_LOOK_NANOS);
        }
    }

    /** The Arrow memory of this connection. */
    BufferAllocator memory() {
        return memory;
    }

    /** Ends all calls and the TCP connection. Blocks for some milliseconds, and for some seconds at most. */
    void close() {
        // The pool knows already that this connection ends.
        whenLost = null;
        lose("the pool closed it");
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.awaitTermination(TERMINATION_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            releaseMemory();
        }
    }

    /** Allows one TCP connection. */
    private static final class OneTransport extends ClientTransportFilter {
        private final AtomicBoolean connected = new AtomicBoolean();

        /** Set before the first call, so before the first TCP connection. */
        private volatile @Nullable FlightConnection connection;

        @Override
        public Attributes transportReady(Attributes attributes) {
            if (!connected.compareAndSet(false, true)) {
                lose("gRPC connected again, so the server has a new session");
            }
            return attributes;
        }

        @Override
        public void transportTerminated(Attributes attributes) {
            if (connected.get()) {
                lose("its TCP connection ended");
            }
        }

        private void lose(String why) {
            FlightConnection lost = connection;
            if (lost != null) {
                lost.lose(why);
            }
        }
    }
}
