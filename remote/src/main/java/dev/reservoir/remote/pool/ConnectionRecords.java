package dev.reservoir.remote.pool;

import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Time;
import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.model.UserMapping;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Knows the open connections of a user pool, and reports its waiters and times to the server. Never blocks. */
final class ConnectionRecords implements Listener<Object> {
    private static final AtomicLong IDS = new AtomicLong();

    private final ServerLeases.@Nullable Share share;
    private final @Nullable ServerMeter meter;
    private final Time time;
    private final Map<Pooled<Object>, Opened> open = new ConcurrentHashMap<>();
    private final LongAdder closed = new LongAdder();
    private final LongAdder empties = new LongAdder();
    private final LongAdder lifetimesNanos = new LongAdder();
    private volatile boolean hasOpened;

    ConnectionRecords(ServerLeases.@Nullable Share share, @Nullable ServerMeter meter, Time time) {
        this.share = share;
        this.meter = meter;
        this.time = time;
    }

    @Override
    public boolean neverBlocks() {
        return true;
    }

    @Override
    public void opened(Pooled<Object> connection, long openNanos) {
        hasOpened = true;
        open.put(connection, new Opened(IDS.incrementAndGet(), Instant.now(), time.nanos()));
    }

    @Override
    public void closed(Pooled<Object> connection, boolean leaseReleased) {
        Opened opened = open.remove(connection);
        if (opened != null) {
            closed.increment();
            lifetimesNanos.add(time.nanos() - opened.nanos);
        }
    }

    @Override
    public void foundReady(long tookNanos, int checkouts) {
        if (meter != null) {
            meter.acquiredReady(tookNanos, checkouts);
        }
    }

    @Override
    public void empty() {
        empties.increment();
    }

    /** How many checkouts found no ready connection. Each checkout from a pool without connections is one. */
    long empties() {
        return empties.sum();
    }

    @Override
    public void waitBegan() {
        if (share != null) {
            share.waiterJoined();
        }
    }

    boolean hasOpened() {
        return hasOpened;
    }

    double meanLifetimeSeconds() {
        long count = closed.sum();
        return count == 0 ? 0 : lifetimesNanos.sum() / 1e9 / count;
    }

    /** The connection with this id, or null. */
    @Nullable
    Pooled<Object> find(long id) {
        for (Map.Entry<Pooled<Object>, Opened> entry : open.entrySet()) {
            if (entry.getValue().id == id) {
                return entry.getKey();
            }
        }
        return null;
    }

    /** The open connections. A connection without a session is being closed and is left out. */
    List<ConnectionDetails> details(
            String server,
            UserMapping mapping,
            boolean draining,
            Function<Pooled<Object>, @Nullable AdapterSession> sessions) {
        List<ConnectionDetails> all = new ArrayList<>();
        open.forEach((pooled, opened) -> {
            AdapterSession session = sessions.apply(pooled);
            if (session != null) {
                all.add(new ConnectionDetails(
                        opened.id,
                        server,
                        mapping.localUser(),
                        mapping.remoteUser(),
                        pooled.isInUse(),
                        session.state(),
                        draining || pooled.isRetiring(),
                        opened.at,
                        pooled.uses() > 0 ? opened.at(pooled, pooled.acquiredNanos()) : null,
                        opened.at(pooled, pooled.shownAliveNanos()),
                        pooled.uses(),
                        session.stats().queries()));
            }
        });
        return all;
    }

    private record Opened(long id, Instant at, long nanos) {
        /** A time on the pool's clock as an instant. */
        Instant at(Pooled<Object> pooled, long poolNanos) {
            return at.plusNanos(poolNanos - pooled.bornNanos());
        }
    }
}
