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

/** Opens simulated connections as a script says, and counts them as a server would. */
public final class ScriptedConnector implements Connector<Wire> {
    public static final long HANDSHAKE_NANOS = 5_000_000L;

    private final VirtualTime time;
    private final Violations violations;
    private final Calls calls;

    /** Decides how the n-th connect ends, counted from 1. */
    public IntFunction<Fate> opening = n -> Fate.succeed(HANDSHAKE_NANOS);

    /** Decides how a validation ends. A broken connection fails it in any case. */
    public Function<Wire, Fate> validating = wire -> Fate.succeed(1_000_000L);

    /** Decides which connections in use the server reports as not served, and how its answer arrives. */
    public Predicate<Wire> unresponsive = wire -> wire.broken;

    public Fate findingUnresponsive = Fate.succeed(1_000_000L);

    /**
     * Called before the server is asked about the connections in use. Throws if the engine should meet an error there.
     */
    public Runnable beforeAsking = () -> {};

    /** The questions so far: the connections in use, for each question. */
    public final List<List<Wire>> askedAfter = new ArrayList<>();

    public Function<Wire, Fate> closing = wire -> Fate.succeed(1_000_000L);

    /** Set while a call of a caller is on the stack. The SPI may not be called then. */
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

    /** The connections that the server has open: they arrived, and their close has not begun. */
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
                    // An answer to any question shows that the connection works.
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

    /** Lets every connect, validation and close that hangs succeed, late. */
    public void releaseHung() {
        calls.releaseHung();
    }

    /** Makes the server drop every connection that it has open. */
    public void breakAll() {
        open.forEach(wire -> wire.broken = true);
    }
}
