package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.conflict.Contender;
import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.emulator.internal.upstream.Upstreams;
import dev.reservoir.emulator.internal.wire.Problem;
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
 * Finds sessions that wait for a lock of another, by asking the server on a connection of its own. Opens that connection at the start and keeps
 * it, so that a server which has no place left for another connection is watched, too; opens it again if it is lost. Asks only while a statement
 * takes long, one question at a time, and tells the session that waits; never decides anything. Used on one event loop alone.
 */
public final class LockWatch {
    private static final Logger LOG = LoggerFactory.getLogger(LockWatch.class);
    private static final long TICK_MILLIS = 10;

    /** A statement that takes longer may wait for a lock. Most do not take as long. */
    private static final long SUSPICIOUS_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    /** An answer that has not come by then is not waited for: the connection is given up. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Shortest time between two attempts to open the connection: a server that is away is not asked a hundred times a second. */
    private static final long BETWEEN_OPENS_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many sessions are asked about at once; the others have their turn at a later tick. */
    private static final int MOST_ASKED = 200;

    /** A transaction in whose way another is. */
    record Holder(ClientSession session, Contender contender) {}

    /**
     * What a session waits for.
     *
     * @param sessions those that hold the lock
     * @param holders their transactions that can be moved away
     * @param known whether all that hold the lock are sessions of the emulator
     * @param askedNanos when the server was asked; what began later is not meant
     */
    record Blockers(List<ClientSession> sessions, List<Holder> holders, boolean known, long askedNanos) {}

    private final Emulation emulation;
    private final Upstreams upstreams;
    private final EventLoop loop;

    /** The connection, or the attempt to open it; null if there is neither. */
    private @Nullable Link link;

    /** When the last attempt to open the connection began. */
    private long openedNanos = System.nanoTime() - BETWEEN_OPENS_NANOS;

    /** Whether the log says already that there is no connection. */
    private boolean saidAway;

    public LockWatch(Emulation emulation, Upstreams upstreams, EventLoop loop) {
        this.emulation = emulation;
        this.upstreams = upstreams;
        this.loop = loop;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // ends with the event loop
    public void start() {
        loop.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        long now = System.nanoTime();
        Link current = link;
        if (current == null) {
            if (now - openedNanos >= BETWEEN_OPENS_NANOS) {
                open(now);
            }
        } else if (current.isWaiting) {
            if (now - current.sinceNanos > PATIENCE_NANOS) {
                away("no answer within " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
                current.close();
            }
        } else {
            Map<Integer, Long> slow = emulation.busySince(now - SUSPICIOUS_NANOS, MOST_ASKED);
            if (!slow.isEmpty()) {
                current.ask(slow, now);
            }
        }
    }

    private void open(long now) {
        openedNanos = now;
        Link fresh = new Link(now);
        link = fresh;
        upstreams.open(loop, Map.of("user", "admin", "application_name", "dsql emulator"), fresh);
    }

    /** Until there is a connection again, the sessions wait as PostgreSQL lets them. */
    private void away(String why) {
        if (!saidAway) {
            saidAway = true;
            LOG.warn("The emulator cannot look at waits for locks, and tries again: {}", why);
        }
    }

    /** One connection to the server, from the attempt to open it on. Counts no more once another one has taken its place. */
    private final class Link implements Upstream.Listener, Upstreams.Opening {
        private @Nullable Upstream upstream;

        /** Whether an answer is to come: to the startup at first, then to the question. */
        private boolean isWaiting = true;

        private boolean isReady;
        private boolean isClosed;

        /** When the attempt began, or the question was asked. */
        private long sinceNanos;

        private Map<Integer, Long> asked = Map.of();
        private final Map<Integer, List<Integer>> holders = new LinkedHashMap<>();

        Link(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }

        void ask(Map<Integer, Long> slow, long now) {
            Upstream server = upstream;
            if (server == null) {
                throw new IllegalStateException("bug: the lock watch asks before its connection is there");
            }
            isWaiting = true;
            sinceNanos = now;
            asked = slow;
            holders.clear();
            StringBuilder pids = new StringBuilder();
            slow.keySet().forEach(pid -> pids.append(pids.isEmpty() ? "" : ", ").append(pid));
            server.write(Wire.query("SELECT pid, array_to_string(pg_blocking_pids(pid), ',') FROM unnest(ARRAY[" + pids
                    + "]::int[]) AS pid WHERE cardinality(pg_blocking_pids(pid)) > 0"));
            server.flush();
        }

        void close() {
            isClosed = true;
            if (link == this) {
                link = null;
            }
            if (upstream != null) {
                upstream.close();
            }
        }

        @Override
        public Upstream.Listener opened(Upstream opened) {
            upstream = opened;
            if (isClosed) {
                opened.close();
            }
            return this;
        }

        @Override
        public void failed(Throwable cause) {
            away(cause.toString());
            close();
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
                    case 'E' -> away(Problem.read(frame).toString());
                    case 'Z' -> onReady();
                    default -> {
                        // Descriptions and parameters.
                    }
                }
            } finally {
                frame.release();
            }
        }

        private void onReady() {
            if (isReady && !isClosed) {
                tell(holders, asked, sinceNanos);
            }
            isReady = true;
            isWaiting = false;
            saidAway = false;
        }

        @Override
        public void onPause() {}

        @Override
        public void onWritable() {}

        @Override
        public void onClosed() {
            close();
        }
    }

    /** Tells those who wait for somebody who does not wait; if they wait in a circle, the first. */
    private void tell(Map<Integer, List<Integer>> holders, Map<Integer, Long> asked, long askedNanos) {
        boolean told = false;
        Map<Integer, List<Integer>> waiting = new HashMap<>(holders);
        for (Map.Entry<Integer, List<Integer>> entry : holders.entrySet()) {
            if (entry.getValue().stream().noneMatch(waiting::containsKey)) {
                tell(entry.getKey(), asked.get(entry.getKey()), entry.getValue(), askedNanos);
                told = true;
            }
        }
        if (!told && !holders.isEmpty()) {
            Map.Entry<Integer, List<Integer>> first =
                    holders.entrySet().iterator().next();
            tell(first.getKey(), asked.get(first.getKey()), first.getValue(), askedNanos);
        }
    }

    private void tell(int waiter, @Nullable Long ticket, List<Integer> pids, long askedNanos) {
        ClientSession session = emulation.session(waiter);
        List<Holder> found = new ArrayList<>();
        List<ClientSession> sessions = new ArrayList<>();
        boolean known = true;
        for (int pid : pids) {
            ClientSession holder = emulation.session(pid);
            known &= holder != null;
            if (holder != null) {
                sessions.add(holder);
            }
            Contender contender = holder == null ? null : holder.contender();
            // One that began after the question was asked is not the one that is meant.
            if (holder != null && contender != null && contender.sinceNanos - askedNanos < 0) {
                found.add(new Holder(holder, contender));
            }
        }
        if (session != null && ticket != null) {
            session.onBlocked(ticket, new Blockers(sessions, found, known, askedNanos));
        }
    }
}
