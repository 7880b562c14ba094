package dev.reservoir.core.kit;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.time.VirtualTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/** Opens pretended connections as a script says, and keeps the server's own books of them. */
public final class ScriptedConnector implements Connector<Wire> {
    public static final long HANDSHAKE_NANOS = 5_000_000L;

    private final VirtualTime time;
    private final Violations violations;
    private final Calls calls;

    /** What becomes of the n-th connect, counted from 1. */
    public IntFunction<Fate> opening = n -> Fate.succeed(HANDSHAKE_NANOS);

    /** What becomes of a proof; a connection that is broken is found so in any case. */
    public Function<Wire, Fate> validating = wire -> Fate.succeed(1_000_000L);

    /** Which of the connections in use the server says that it does not serve, and how its answer comes. */
    public Predicate<Wire> unresponsive = wire -> wire.broken;

    public Fate findingUnresponsive = Fate.succeed(1_000_000L);

    /** Called before the server is asked after those in use; throws if the engine is to meet an error there. */
    public Runnable beforeAsking = () -> {};

    /** What was asked: the connections in use, each time. */
    public final List<List<Wire>> askedAfter = new ArrayList<>();

    public Function<Wire, Fate> closing = wire -> Fate.succeed(1_000_000L);

    /** Set while a borrower's call is on the stack: no seam may be used then. */
    public boolean callerOnStack;

    public int opensBegun;
    public int opensInFlight;
    public int opensInFlightMost;
    public int arrived;
    public int closesBegun;
    public int closesInFlight;
    public int closesInFlightMost;
    public int validationsBegun;
    public int validationsInFlight;
    public int validationsInFlightMost;

    /** What the server has open: arrived, and not yet begun to close. */
    public final Set<Wire> open = new LinkedHashSet<>();

    public ScriptedConnector(VirtualTime time, Violations violations) {
        this.time = time;
        this.violations = violations;
        this.calls = new Calls(time);
    }

    @Override
    public CompletionStage<Wire> open(long timeoutNanos) {
        violations.require(!callerOnStack, 5, "a connect begins on a caller's path");
        opensBegun++;
        opensInFlight++;
        opensInFlightMost = Math.max(opensInFlightMost, opensInFlight);
        return calls.make(opening.apply(opensBegun), this::arrive, () -> opensInFlight--);
    }

    private Wire arrive() {
        opensInFlight--;
        arrived++;
        Wire wire = new Wire(arrived, time.nanos());
        open.add(wire);
        return wire;
    }

    @Override
    public CompletionStage<Boolean> validate(Wire wire, long timeoutNanos) {
        violations.require(!callerOnStack, 3, "a validation begins on a caller's path");
        violations.require(wire.closedFor == null, 5, "%s is validated after its close began", wire);
        long begun = time.nanos();
        validationsBegun++;
        wire.validations++;
        validationsInFlight++;
        validationsInFlightMost = Math.max(validationsInFlightMost, validationsInFlight);
        return calls.make(
                validating.apply(wire),
                () -> {
                    validationsInFlight--;
                    if (!wire.broken) {
                        wire.validatedNanos = begun;
                        wire.answeredNanos = time.nanos();
                        wire.answersSinceUse++;
                    }
                    return !wire.broken;
                },
                () -> validationsInFlight--);
    }

    @Override
    public CompletionStage<List<Wire>> findUnresponsive(Wire fresh, List<Wire> inUse, long timeoutNanos) {
        violations.require(!callerOnStack, 3, "the server is asked on a caller's path");
        violations.require(fresh.closedFor == null, 5, "%s is asked with after its close began", fresh);
        askedAfter.add(inUse);
        long begun = time.nanos();
        beforeAsking.run();
        return calls.make(
                findingUnresponsive,
                () -> {
                    // An answer to any question shows that it works.
                    fresh.validatedNanos = begun;
                    fresh.answeredNanos = time.nanos();
                    fresh.answersSinceUse++;
                    return inUse.stream().filter(unresponsive).toList();
                },
                () -> {});
    }

    @Override
    public CompletionStage<Void> close(Wire wire, DiscardReason reason) {
        violations.require(!callerOnStack, 5, "a close begins on a caller's path");
        violations.require(wire.closedFor == null, 5, "%s is closed twice: %s, %s", wire, wire.closedFor, reason);
        wire.closedFor = reason;
        open.remove(wire);
        closesBegun++;
        closesInFlight++;
        closesInFlightMost = Math.max(closesInFlightMost, closesInFlight);
        return calls.make(
                closing.apply(wire),
                () -> {
                    closesInFlight--;
                    return null;
                },
                () -> closesInFlight--);
    }

    /** Calls that hang now. */
    public int hung() {
        return calls.hung();
    }

    /** Lets every connect, proof and close that hangs succeed, late. */
    public void releaseHung() {
        calls.releaseHung();
    }

    /** The server drops every connection it has open. */
    public void breakAll() {
        open.forEach(wire -> wire.broken = true);
    }
}
