package dev.reservoir.core.kit;

import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.time.VirtualTime;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

/** A bounded number of leases with exact books. Requests and releases end as a script says. */
public final class LedgerLeases implements Leases {
    private final VirtualTime time;
    private final Violations violations;
    private final Calls calls;

    /** How long the engine waits for an answer: what comes later it cannot know. */
    public long answerNanos = Long.MAX_VALUE;

    /** How many may be out at once. A request beyond that fails. */
    public int limit;

    public IntFunction<Fate> acquiring = n -> Fate.succeed(0);
    public IntFunction<Fate> releasing = n -> Fate.succeed(0);
    public boolean callerOnStack;
    public int asked;
    public int granted;
    public int releaseCalls;

    /** Granted and not yet given back. */
    public final Set<String> out = new LinkedHashSet<>();

    /** Given back, and the engine was told so in time. */
    private final Set<String> settled = new HashSet<>();

    public LedgerLeases(int limit, VirtualTime time, Violations violations) {
        this.limit = limit;
        this.time = time;
        this.violations = violations;
        this.calls = new Calls(time);
    }

    @Override
    public CompletionStage<Lease> acquire() {
        asked++;
        if (out.size() >= limit) {
            return CompletableFuture.failedFuture(new IllegalStateException("no lease left of " + limit));
        }
        return calls.make(acquiring.apply(asked), this::grant, () -> {});
    }

    private Lease grant() {
        granted++;
        String id = "lease-" + granted;
        out.add(id);
        return () -> id;
    }

    @Override
    public CompletionStage<Void> release(Lease lease) {
        violations.require(!callerOnStack, 5, "a lease is given back on a borrower's path");
        violations.require(!settled.contains(lease.id()), 5, "%s is given back again after that succeeded", lease.id());
        releaseCalls++;
        long begun = time.nanos();
        Fate fate = releasing.apply(releaseCalls);
        return calls.make(
                // To complete with null is to succeed.
                fate.kind() == Fate.Kind.NOTHING ? Fate.succeed(fate.afterNanos()) : fate,
                () -> {
                    out.remove(lease.id());
                    if (time.nanos() - begun < answerNanos) {
                        settled.add(lease.id());
                    }
                    return null;
                },
                () -> {});
    }

    @Override
    public String describe() {
        return "cluster leases " + out.size() + " of " + limit;
    }

    /** Lets every request and release that hangs succeed, late. */
    public void releaseHung() {
        calls.releaseHung();
    }
}
