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
 * Issues a bounded number of leases and counts them exactly. A script decides how requests and releases end. It can
 * recall leases, and knows how many of the recalled ones the reservoir still holds.
 */
public final class LedgerLeases implements Leases {
    private final VirtualTime time;
    private final Violations violations;
    private final Calls calls;

    /** How long the engine waits for an answer. The engine cannot know of an answer that comes later. */
    public long answerNanos = Long.MAX_VALUE;

    /** How many leases may be out at once. A request beyond that fails. */
    public int limit;

    public IntFunction<Fate> acquiring = n -> Fate.succeed(0);
    public IntFunction<Fate> releasing = n -> Fate.succeed(0);
    public boolean callerOnStack;
    public boolean queues;
    public int asked;
    public int granted;
    public int releaseCalls;

    /** An extra action of this source, in the middle of each call by the engine and right after each answer. */
    public Runnable meanwhile = () -> {};

    public int attached;
    public int detached;
    private @Nullable Holder holder;
    private int discardedForRecalls;

    /** How many leases the reservoir has promised to return so far. */
    public int recalled;

    /**
     * The part of {@code recalled} that is not on its way back: no connection was reported as discarded for it, and no
     * lease without a connection came back. It may be less than the reservoir's own number while an event is under way,
     * but never more.
     */
    public int owed;

    /** Leases whose connections were discarded, and leases whose release has begun. */
    private final Set<String> leaving = new HashSet<>();

    /** Leases that were granted and not yet released. */
    public final Set<String> out = new LinkedHashSet<>();

    /** Leases that were released, and whose release was confirmed to the engine in time. */
    private final Set<String> settled = new HashSet<>();

    public LedgerLeases(int limit, VirtualTime time, Violations violations) {
        this.limit = limit;
        this.time = time;
        this.violations = violations;
        this.calls = new Calls(time);
    }

    @Override
    public boolean queuesRequests() {
        return queues;
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

    /** Recalls this many leases, and returns how many the reservoir says will come back. */
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

    /** Records that a connection with this lease was discarded. */
    void discarded(String id, DiscardReason reason) {
        if (reason == DiscardReason.LEASE_RECALLED) {
            discardedForRecalls++;
            violations.require(discardedForRecalls <= recalled, 5, "%s goes back and was not called back", id);
        }
        // A connection that arrives after the end has no lease any more.
        if (!id.isEmpty()) {
            leaves(id);
        }
    }

    /** As long as leases are owed, no connection or attempt that holds one may be idle. */
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
