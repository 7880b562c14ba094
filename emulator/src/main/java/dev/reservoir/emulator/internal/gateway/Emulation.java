package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Counters;
import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.TokenCheck;
import dev.reservoir.emulator.internal.auth.TokenVerifier;
import dev.reservoir.emulator.internal.conflict.Conflicts;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The state that all connections of one emulator share. Never does I/O itself. */
public final class Emulation {
    final String host;
    final InstantSource clock;
    final TokenCheck tokenCheck;
    final TokenVerifier tokens;
    final Admission admission = new Admission();
    final FaultState faults = new FaultState(this::drop);

    /** Number of committed transactions that changed the schema. */
    final AtomicLong schemaVersion = new AtomicLong();

    /** Number of committed transactions that changed rows. */
    final AtomicLong changes = new AtomicLong();

    final Conflicts conflictsMet = new Conflicts();

    final LongAdder refusedByToken = new LongAdder();
    final LongAdder agedOut = new LongAdder();
    final LongAdder conflicts = new LongAdder();
    final LongAdder statementsRefused = new LongAdder();
    final LongAdder transactionsOverLimit = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    private final Set<ClientSession> sessions = ConcurrentHashMap.newKeySet();

    /** Where the next call of {@link #busySince} begins. */
    private int busyFrom;

    private final Map<Integer, ClientSession> byProcess = new ConcurrentHashMap<>();
    private volatile Limits limits;

    public Emulation(String host, InstantSource clock, TokenCheck tokenCheck, Limits limits) {
        this.host = host;
        this.clock = clock;
        this.tokenCheck = tokenCheck;
        this.limits = limits;
        tokens = new TokenVerifier(host, tokenCheck, clock);
    }

    public Limits limits() {
        return limits;
    }

    public void limits(Limits changed) {
        limits = changed;
    }

    public FaultState faults() {
        return faults;
    }

    /**
     * Whether a client must send SNI, the host name in the TLS handshake. Java's TLS sends neither an IP address nor a
     * host name without a dot.
     */
    boolean sniRequired() {
        return host.indexOf('.') > 0 && !host.matches("[0-9.]+") && host.indexOf(':') < 0;
    }

    void add(ClientSession session) {
        sessions.add(session);
        byProcess.put(session.processId(), session);
    }

    void remove(ClientSession session) {
        sessions.remove(session);
        byProcess.remove(session.processId(), session);
    }

    /** The session of a server process, or null if the process belongs to no session. */
    @Nullable
    ClientSession session(int processId) {
        return byProcess.get(processId);
    }

    /**
     * Up to {@code most} server processes whose statement has run since before {@code nanos}, each with its start time.
     * The next call begins where this one ended, so that every session is reported in time. Called by one thread only.
     */
    Map<Integer, Long> busySince(long nanos, int most) {
        List<ClientSession> all = List.copyOf(sessions);
        Map<Integer, Long> busy = new HashMap<>();
        int from = busyFrom;
        for (int i = 0; i < all.size() && busy.size() < most; i++) {
            int at = Math.floorMod(from + i, all.size());
            long since = all.get(at).state.busySinceNanos;
            if (since != 0 && since - nanos < 0) {
                busy.put(all.get(at).processId(), since);
            }
            busyFrom = at + 1;
        }
        return busy;
    }

    /** Wakes every session that has reached an age limit. Called at short intervals. */
    public void sweep() {
        long now = clock.millis();
        Limits current = limits;
        for (ClientSession session : sessions) {
            if (session.tracker.isDue(now, current)) {
                session.wake();
            }
        }
    }

    private int drop(double share) {
        List<ClientSession> chosen = new ArrayList<>(sessions);
        Collections.shuffle(chosen);
        chosen = chosen.subList(0, (int) Math.round(chosen.size() * share));
        chosen.forEach(ClientSession::drop);
        dropped.add(chosen.size());
        return chosen.size();
    }

    public Counters counters() {
        Admission.Numbers numbers = admission.numbers(clock.instant());
        return new Counters(
                numbers.accepted(),
                numbers.refusedByRate(),
                numbers.refusedByCount(),
                refusedByToken.sum(),
                numbers.open(),
                numbers.highestOpen(),
                numbers.connectsLastSecond(),
                agedOut.sum(),
                conflicts.sum(),
                statementsRefused.sum(),
                transactionsOverLimit.sum(),
                dropped.sum());
    }
}
