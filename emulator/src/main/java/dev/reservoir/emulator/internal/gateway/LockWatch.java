package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds sessions that wait for a lock of another, by asking the server on a connection of its own, which is opened at need. Asks only while a
 * statement takes long, one question at a time, and tells the session that waits; never decides anything. Used on one event loop alone.
 */
final class LockWatch implements Upstream.Listener, Upstreams.Opening {
    private static final Logger LOG = LoggerFactory.getLogger(LockWatch.class);
    private static final long TICK_MILLIS = 10;

    /** A statement that takes longer may wait for a lock. Most do not take as long. */
    private static final long SUSPICIOUS_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    /** An answer that has not come by then is not waited for: the connection is given up. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How many sessions are asked about at once; the others have their turn at a later tick. */
    private static final int MOST_ASKED = 200;

    /** A transaction in whose way another is. */
    record Holder(Session session, Contender contender) {}

    /**
     * What a session waits for.
     *
     * @param sessions those that hold the lock
     * @param holders their transactions that can be moved away
     * @param known whether all that hold the lock are sessions of the emulator
     * @param askedNanos when the server was asked; what began later is not meant
     */
    record Blockers(List<Session> sessions, List<Holder> holders, boolean known, long askedNanos) {}

    private final Emulation emulation;
    private final Upstreams upstreams;
    private final EventLoop loop;

    private @Nullable Upstream upstream;
    private boolean ready;
    private boolean asking;
    private long sinceNanos;
    private Map<Integer, Long> asked = Map.of();
    private final Map<Integer, List<Integer>> holders = new LinkedHashMap<>();

    LockWatch(Emulation emulation, Upstreams upstreams, EventLoop loop) {
        this.emulation = emulation;
        this.upstreams = upstreams;
        this.loop = loop;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // ends with the event loop
    void start() {
        loop.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        long now = System.nanoTime();
        if (asking) {
            if (now - sinceNanos > PATIENCE_NANOS) {
                giveUp();
            }
            return;
        }
        Map<Integer, Long> slow = emulation.busySince(now - SUSPICIOUS_NANOS, MOST_ASKED);
        if (slow.isEmpty()) {
            return;
        }
        sinceNanos = now;
        asking = true;
        if (upstream == null) {
            upstreams.open(loop, Map.of("user", "admin", "application_name", "dsql emulator"), this);
        } else if (ready) {
            ask(upstream, slow);
        }
    }

    private void ask(Upstream server, Map<Integer, Long> slow) {
        asked = slow;
        holders.clear();
        StringBuilder pids = new StringBuilder();
        slow.keySet().forEach(pid -> pids.append(pids.isEmpty() ? "" : ", ").append(pid));
        server.write(Wire.query("SELECT pid, array_to_string(pg_blocking_pids(pid), ',') FROM unnest(ARRAY[" + pids
                + "]::int[]) AS pid WHERE cardinality(pg_blocking_pids(pid)) > 0"));
        server.flush();
    }

    private void giveUp() {
        Upstream server = upstream;
        upstream = null;
        ready = false;
        asking = false;
        if (server != null) {
            server.close();
        }
    }

    @Override
    public Upstream.Listener opened(Upstream opened) {
        upstream = opened;
        return this;
    }

    @Override
    public void failed(Throwable cause) {
        // Asked again when the patience is over; until then the sessions wait as PostgreSQL lets them.
        LOG.warn("Waits for locks cannot be looked at: {}", cause.toString());
    }

    @Override
    public void onMessage(ByteBuf frame) {
        try {
            switch (Wire.type(frame)) {
                case 'D' -> {
                    List<String> row = Wire.columns(frame);
                    List<Integer> pids = new ArrayList<>();
                    for (String pid : row.get(1).split(",", -1)) {
                        pids.add(Integer.valueOf(pid));
                    }
                    holders.put(Integer.valueOf(row.get(0)), pids);
                }
                case 'Z' -> {
                    if (ready) {
                        tell();
                    }
                    ready = true;
                    asking = false;
                }
                default -> {
                    // Descriptions and parameters.
                }
            }
        } finally {
            frame.release();
        }
    }

    /** Tells those who wait for somebody who does not wait; if they wait in a circle, the first. */
    private void tell() {
        boolean told = false;
        Map<Integer, List<Integer>> waiting = new HashMap<>(holders);
        for (Map.Entry<Integer, List<Integer>> entry : holders.entrySet()) {
            if (entry.getValue().stream().noneMatch(waiting::containsKey)) {
                tell(entry.getKey(), entry.getValue());
                told = true;
            }
        }
        if (!told && !holders.isEmpty()) {
            Map.Entry<Integer, List<Integer>> first =
                    holders.entrySet().iterator().next();
            tell(first.getKey(), first.getValue());
        }
    }

    private void tell(int waiter, List<Integer> pids) {
        Session session = emulation.session(waiter);
        Long ticket = asked.get(waiter);
        List<Holder> found = new ArrayList<>();
        List<Session> sessions = new ArrayList<>();
        boolean known = true;
        for (int pid : pids) {
            Session holder = emulation.session(pid);
            known &= holder != null;
            if (holder != null) {
                sessions.add(holder);
            }
            Contender contender = holder == null ? null : holder.contender();
            // One that began after the question was asked is not the one that is meant.
            if (holder != null && contender != null && contender.sinceNanos - sinceNanos < 0) {
                found.add(new Holder(holder, contender));
            }
        }
        if (session != null && ticket != null) {
            session.onBlocked(ticket, new Blockers(sessions, found, known, sinceNanos));
        }
    }

    @Override
    public void onPause() {}

    @Override
    public void onWritable() {}

    @Override
    public void onClosed() {
        upstream = null;
        ready = false;
        asking = false;
    }
}
