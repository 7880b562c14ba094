package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.conflict.Contender;
import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.emulator.internal.upstream.Upstreams;
import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds sessions that wait for the lock of another session, by queries on a connection of its own. It opens that
 * connection at the start and keeps it, so that it also works when the server has no connection left. It opens the
 * connection again after a loss. It sends a query only while a statement takes long, one at a time, and tells the
 * waiting session. Never decides anything. Used on one event loop only.
 */
public final class LockMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(LockMonitor.class);
    private static final long TICK_MILLIS = 10;

    /** Shortest run time after which a statement is suspected to wait for a lock. Most statements end earlier. */
    private static final long SUSPICIOUS_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    /** Longest wait for an answer. After that, the monitor gives the connection up. */
    private static final long ANSWER_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Shortest time between two attempts to open the connection, so that a server that is down gets few attempts. */
    private static final long BETWEEN_OPENS_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Most sessions in one query, which keeps the query short. A later tick covers the others. */
    private static final int MOST_ASKED = 200;

    /** A transaction that blocks another one. */
    record Holder(ClientSession session, Contender contender) {}

    /**
     * What a session waits for.
     *
     * @param sessions the sessions that hold the lock
     * @param holders their transactions that can be moved away
     * @param known whether only sessions of the emulator hold the lock
     * @param askedNanos when the query was sent; it does not cover anything that began later
     */
    record Blockers(List<ClientSession> sessions, List<Holder> holders, boolean known, long askedNanos) {}

    private final Emulation emulation;
    private final Upstreams upstreams;
    private final EventLoop loop;

    /** The connection, or the attempt to open it; null if neither exists. */
    private @Nullable MonitorConnection connection;

    /** When the last attempt to open the connection began. */
    private long openedNanos = System.nanoTime() - BETWEEN_OPENS_NANOS;

    /** Whether the loss of the connection is already logged. */
    private boolean isLossLogged;

    public LockMonitor(Emulation emulation, Upstreams upstreams, EventLoop loop) {
        this.emulation = emulation;
        this.upstreams = upstreams;
        this.loop = loop;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task ends with the event loop
    public void start() {
        loop.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        long now = System.nanoTime();
        MonitorConnection current = connection;
        if (current == null) {
            if (now - openedNanos >= BETWEEN_OPENS_NANOS) {
                open(now);
            }
        } else if (current.isWaiting) {
            if (now - current.sinceNanos > ANSWER_TIMEOUT_NANOS) {
                logLoss("no answer within " + TimeUnit.NANOSECONDS.toSeconds(ANSWER_TIMEOUT_NANOS) + " s");
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
        MonitorConnection fresh = new MonitorConnection(now);
        connection = fresh;
        upstreams.open(loop, Map.of("user", "admin", "application_name", "dsql emulator"), fresh);
    }

    /** Logs the loss of the connection once. Until it is back, sessions wait for locks as PostgreSQL makes them. */
    private void logLoss(String why) {
        if (!isLossLogged) {
            isLossLogged = true;
            LOG.warn("The emulator cannot check for waits on locks and tries again: {}", why);
        }
    }

    /** One connection to the server, from the attempt to open it on. Its answers are ignored after it is closed. */
    private final class MonitorConnection implements Upstream.Listener, Upstreams.Opening {
        private @Nullable Upstream upstream;

        /** Whether an answer is outstanding: first to the startup, later to a query. */
        private boolean isWaiting = true;

        private boolean isReady;
        private boolean isClosed;

        /** When the attempt began, or when the query was sent. */
        private long sinceNanos;

        private Map<Integer, Long> asked = Map.of();
        private final Map<Integer, List<Integer>> holders = new LinkedHashMap<>();

        MonitorConnection(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }

        void ask(Map<Integer, Long> slow, long now) {
            Upstream server = upstream;
            if (server == null) {
                throw new IllegalStateException("bug: the lock monitor asks before its connection is there");
            }
            isWaiting = true;
            sinceNanos = now;
            asked = slow;
            holders.clear();
            StringBuilder pids = new StringBuilder();
            slow.keySet().forEach(pid -> pids.append(pids.isEmpty() ? "" : ", ").append(pid));
            server.write(
                    ClientMessages.query("SELECT pid, array_to_string(pg_blocking_pids(pid), ',') FROM unnest(ARRAY["
                            + pids + "]::int[]) AS pid WHERE cardinality(pg_blocking_pids(pid)) > 0"));
            server.flush();
        }

        void close() {
            isClosed = true;
            if (connection == this) {
                connection = null;
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
            logLoss(cause.toString());
            close();
        }

        @Override
        public void onMessage(ByteBuf frame) {
            try {
                switch (Frames.type(frame)) {
                    case 'D' -> {
                        List<String> row = Frames.columns(frame);
                        List<Integer> pids = Stream.of(row.get(1).split(",", -1))
                                .map(Integer::valueOf)
                                .toList();
                        holders.put(Integer.valueOf(row.get(0)), pids);
                    }
                    case 'E' -> logLoss(Frames.error(frame).toString());
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
                report(holders, asked, sinceNanos);
            }
            isReady = true;
            isWaiting = false;
            isLossLogged = false;
        }

        @Override
        public void onClosed() {
            close();
        }
    }

    /** Reports to the sessions whose blockers do not wait themselves. If all of them wait in a circle, to the first. */
    private void report(Map<Integer, List<Integer>> holders, Map<Integer, Long> asked, long askedNanos) {
        boolean reported = false;
        Map<Integer, List<Integer>> waiting = new HashMap<>(holders);
        for (Map.Entry<Integer, List<Integer>> entry : holders.entrySet()) {
            if (entry.getValue().stream().noneMatch(waiting::containsKey)) {
                report(entry.getKey(), asked.get(entry.getKey()), entry.getValue(), askedNanos);
                reported = true;
            }
        }
        if (!reported && !holders.isEmpty()) {
            Map.Entry<Integer, List<Integer>> first =
                    holders.entrySet().iterator().next();
            report(first.getKey(), asked.get(first.getKey()), first.getValue(), askedNanos);
        }
    }

    private void report(int waiter, @Nullable Long ticket, List<Integer> pids, long askedNanos) {
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
            Contender contender = holder == null ? null : holder.state.contender;
            // A transaction that began after the query was sent cannot be the blocker.
            if (holder != null && contender != null && contender.sinceNanos - askedNanos < 0) {
                found.add(new Holder(holder, contender));
            }
        }
        if (session != null && ticket != null) {
            session.locks.onBlocked(ticket, new Blockers(sessions, found, known, askedNanos));
        }
    }
}
