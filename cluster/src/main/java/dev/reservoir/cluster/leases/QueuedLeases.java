package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.membership.Membership;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.protocol.StoreHealth;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The common part of both modes: the queue of requests, the need for more leases, and what was taken back from dead
 * members. A mode decides how leases are counted in the store. The budget's serial executor guards the state. Never
 * blocks on the store.
 */
abstract class QueuedLeases implements ClusterLeases {
    final BudgetContext context;
    final ClusterSettings settings;
    final SerialExecutor serial;
    final Time time;
    final StoreHealth storeHealth;
    final Membership membership;
    final LeaseQueue queue;
    final LeaseNeed need;

    /** Takes back the leases of dead members, also of members in the other mode. */
    final CounterWrites counterWrites;

    /** Returns unclaimed leases that members, perhaps in the other mode, left behind. */
    final UnclaimedLeases unclaimedLeases;

    private long takenBack;

    QueuedLeases(BudgetContext context, StoreCalls calls, Membership membership) {
        this.context = context;
        this.settings = context.settings();
        this.serial = context.serial();
        this.time = context.time();
        this.storeHealth = calls.storeHealth();
        this.membership = membership;
        this.counterWrites = new CounterWrites(settings, context.clock());
        this.unclaimedLeases = new UnclaimedLeases(context, calls, this::returned);
        this.queue = new LeaseQueue(serial, context.timers(), this::go, this::state);
        this.need = new LeaseNeed(context, membership);
        storeHealth.listen(this::go);
    }

    /** Returns how many leases the store counts for this process. */
    abstract int size();

    /** Returns how many leases connections hold. */
    abstract int used();

    /** Returns what else a message about the leases says; empty if there is nothing. */
    String details() {
        return "";
    }

    /** Whether another lease can be granted now. */
    abstract boolean mayGrant();

    /** Grants a lease. */
    abstract Lease grant();

    /** Ends a lease. Returns false if it had ended before, or is of another kind. */
    abstract boolean end(Lease lease);

    /** Notes that this process has returned this many unclaimed leases. */
    void returned(long leases) {}

    /** Returns how many leases a transaction took back from this dead member. */
    abstract long takenFrom(Item dead);

    @Override
    public final CompletionStage<Lease> acquire() {
        return queue.join();
    }

    @Override
    public final CompletionStage<Void> release(Lease lease) {
        serial.enter(() -> comeBack(lease));
        return CompletableFuture.completedFuture(null);
    }

    private void comeBack(Lease lease) {
        if (end(lease)) {
            queue.cameBack();
            go();
        }
    }

    @Override
    public final void attach(Holder holder) {
        queue.attach(holder);
    }

    @Override
    public final void detach(Holder holder) {
        queue.detach(holder);
    }

    @Override
    public final String describe() {
        StringBuilder text = new StringBuilder();
        serial.enter(() -> text.append(state()));
        return text.toString();
    }

    final String state() {
        String away = storeHealth.isAway() ? ", the cluster budget does not answer (" + storeHealth.why() + ")" : "";
        return need.out() + " of the cluster's " + settings.limit() + " leases out, " + used() + " of this process's "
                + size() + " used" + details() + away;
    }

    @Override
    public final BudgetStats.Leases stats() {
        return new BudgetStats.Leases(
                size(),
                used(),
                queue.size(),
                need.out(),
                settings.limit(),
                queue.denied(),
                membership.declaredDead(),
                takenBack);
    }

    @Override
    public final void close() {
        queue.close();
    }

    /** Serves the requests that can be served, and lets the membership write what is due. */
    final void go() {
        while (queue.size() > 0 && mayGrant()) {
            Lease lease = grant();
            queue.serve(lease, () -> serial.enter(() -> comeBack(lease)));
        }
        if (queue.size() > 0 && (storeHealth.isAway() || need.isFull())) {
            queue.refuse(state());
        }
        membership.go();
    }

    @Override
    public final void renewed() {
        go();
    }

    @Override
    public final Move takingBack(String id, Item dead) {
        return counterWrites.takeBack(id, dead);
    }

    @Override
    public final boolean notTakenBack(List<Write> writes, Answer answer) {
        return counterWrites.learn(writes, answer);
    }

    @Override
    public final void tookBack(Item dead) {
        long theirs = takenFrom(dead);
        takenBack += theirs;
        need.moved(-theirs);
        counterWrites.ended();
        need.notFull();
    }
}
