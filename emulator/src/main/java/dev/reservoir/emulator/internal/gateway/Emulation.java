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

/** What all connections of one emulator share. Never does any input or output itself. */
public final class Emulation {
    final String host;
    final InstantSource clock;
    final TokenCheck tokenCheck;
    final TokenVerifier tokens;
    final Admission admission = new Admission();
    final FaultState faults = new FaultState(this::drop);

    /** Counts the changes of the schema that were committed. */
    final AtomicLong schemaVersion = new AtomicLong();

    /** Counts the transactions that have changed rows and were committed. */
    final AtomicLong changes = new AtomicLong();

    final Conflicts conflictsMet = new Conflicts();

    final LongAdder refusedByToken = new LongAdder();
    final LongAdder agedOut = new LongAdder();
    final LongAdder conflicts = new LongAdder();
    final LongAdder statementsRefused = new LongAdder();
    final LongAdder transactionsOverLimit = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    private final Set<ClientSession> sessions = ConcurrentHashMap.newKeySet();

    /** Where the next look at busy sessions begins. */
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

    /** Whether a client must name the host in its handshake. Java's TLS names no host without a dot, and no address. */
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

    /** The session of a process of the server; null if it is nobody's. */
    @Nullable
    ClientSession session(int processId) {
        return byProcess.get(processId);
    }

    /**
     * Up to so many processes that have been busy with a statement since that time or longer, and since when. The next call begins where
     * this one ended, so that everybody's turn comes. Called by one thread.
     */
    Map<Integer, Long> busySince(long nanos, int most) {
        List<ClientSession> all = List.copyOf(sessions);
        Map<Integer, Long> busy = new HashMap<>();
        int from = busyFrom;
        for (int i = 0; i < all.size() && busy.size() < most; i++) {
            int at = Math.floorMod(from + i, all.size());
            long since = all.get(at).busySinceNanos();
            if (since != 0 && since - nanos < 0) {
                busy.put(all.get(at).processId(), since);
            }
            busyFrom = at + 1;
        }
        return busy;
    }

    /** Lets every connection whose time has come see to it. Called at short intervals. */
    public void sweep() {
        long now = clock.millis();
        Limits current = limits;
        for (ClientSession session : sessions) {
            if (session.isDue(now, current)) {
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
