package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Counters;
import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.TokenCheck;
import dev.reservoir.emulator.internal.auth.TokenVerifier;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

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

    final LongAdder refusedByToken = new LongAdder();
    final LongAdder agedOut = new LongAdder();
    final LongAdder conflicts = new LongAdder();
    final LongAdder statementsRefused = new LongAdder();
    final LongAdder transactionsOverLimit = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
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

    void add(Session session) {
        sessions.add(session);
    }

    void remove(Session session) {
        sessions.remove(session);
    }

    /** Lets every connection whose time has come see to it. Called at short intervals. */
    void sweep() {
        long now = clock.millis();
        Limits current = limits;
        for (Session session : sessions) {
            if (session.isDue(now, current)) {
                session.wake();
            }
        }
    }

    private int drop(double share) {
        List<Session> chosen = new ArrayList<>(sessions);
        Collections.shuffle(chosen);
        chosen = chosen.subList(0, (int) Math.round(chosen.size() * share));
        chosen.forEach(Session::drop);
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
