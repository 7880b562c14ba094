package dev.reservoir.core.kit;

import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.time.VirtualTime;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of leases with exact books. Requests and releases end as a script says. It can call leases back, and knows how
 * many of those are still with the reservoir.
 */
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

    /** What this source does besides, in the middle of each call of the engine and right after each answer. */
    public Runnable meanwhile = () -> {};

    public int attached;
    public int detached;
    private @Nullable Holder holder;
    private int discardedForRecalls;

    /** Promised back by the reservoir so far. */
    public int recalled;

    /**
     * Of these, how many are not on their way: no connection was heard to be discarded for them, and no lease without a
     * connection has come. May be less than the reservoir knows of while it is about to tell, never more.
     */
    public int owed;

    /** Those whose connections were discarded, and those that have begun to come back. */
    private final Set<String> leaving = new HashSet<>();

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
        violations.require(attached == 1 && detached == 0, 4, "a lease is asked for, but not between start and end");
        meanwhile.run();
        if (out.size() >= limit) {
            return CompletableFuture.failedFuture(new IllegalStateException("no lease left of " + limit));
        }
        return watched(calls.make(acquiring.apply(asked), this::grant, () -> {}));
    }

    private <R> @Nullable CompletableFuture<R> watched(@Nullable CompletableFuture<R> stage) {
        if (stage != null) {
            var unused = stage.whenComplete((result, error) -> meanwhile.run());
        }
        return stage;
    }

    @Override
    public void attach(Holder value) {
        attached++;
        holder = value;
    }

    @Override
    public void detach(Holder value) {
        violations.require(value == holder, 9, "another holder is detached than was attached");
        detached++;
    }

    /** Calls so many back, and answers how many the reservoir says will come. */
    public int recall(int count) {
        Holder asked = holder;
        int promised = asked == null ? 0 : asked.recall(count);
        violations.require(
                promised >= 0 && promised <= Math.max(0, count) && promised <= out.size(),
                5,
                "%d called back of %d, %d promised",
                count,
                out.size(),
                promised);
        recalled += promised;
        owed += promised;
        return promised;
    }

    /** Hears that a connection with this lease was discarded. */
    void discarded(String id, DiscardReason reason) {
        if (reason == DiscardReason.LEASE_RECALLED) {
            discardedForRecalls++;
            violations.require(discardedForRecalls <= recalled, 5, "%s goes back and was not called back", id);
        }
        // One that comes after the end has none any more.
        if (!id.isEmpty()) {
            leaves(id);
        }
    }

    /** As long as leases are owed, nothing that holds one is idle. */
    void checkSettled(Counts counts) {
        violations.require(
                owed == 0 || counts.ready() + counts.validating() + counts.waitingForPermit() == 0,
                5,
                "%d leases are owed: %s",
                owed,
                counts);
    }

    private void leaves(String id) {
        if (leaving.add(id) && owed > 0) {
            owed--;
        }
    }

    private Lease grant() {
        granted++;
        String id = "lease-" + granted;
        out.add(id);
        return () -> id;
    }

    @Override
    public CompletionStage<Void> release(Lease lease) {
        violations.require(!callerOnStack, 5, "a lease is given back on a caller's path");
        violations.require(!settled.contains(lease.id()), 5, "%s is given back again after that succeeded", lease.id());
        releaseCalls++;
        leaves(lease.id());
        meanwhile.run();
        long begun = time.nanos();
        Fate fate = releasing.apply(releaseCalls);
        return watched(calls.make(
                // To complete with null is to succeed.
                fate.kind() == Fate.Kind.NOTHING ? Fate.succeed(fate.afterNanos()) : fate,
                () -> {
                    out.remove(lease.id());
                    if (time.nanos() - begun < answerNanos) {
                        settled.add(lease.id());
                    }
                    return null;
                },
                () -> {}));
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
