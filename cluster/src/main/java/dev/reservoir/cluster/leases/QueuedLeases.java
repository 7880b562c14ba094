package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.membership.Membership;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetHealth.StoreHealth;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.RequestQueue;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Leases;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Leases of a cluster, and the common part of both modes: the queue of requests, the need for more leases, the holders
 * that can be asked to release some, and what was taken back from dead members. A mode decides how the store counts
 * leases. The budget's serial executor guards the state. Never blocks on the store.
 */
public abstract class QueuedLeases extends MemberDuties implements Leases {
    /** Time after which a request fails that could be neither served nor refused. */
    private static final long MAX_WAIT_NANOS = 10_000_000_000L;

    final StoreHealth storeHealth;
    final Membership membership;
    final RequestQueue<Lease> queue;
    final LeaseNeed need;
    private final List<Holder> holders = new ArrayList<>();

    /** The number of leases that holders were asked to release and that have not come back. */
    private int recalled;

    private long takenBack;

    QueuedLeases(BudgetContext context, StoreCalls calls, Membership membership) {
        super(context, calls);
        this.storeHealth = calls.storeHealth();
        this.membership = membership;
        this.queue = new RequestQueue<>(
                context, "lease", OpenFailureReason.LEASE_ACQUIRE, MAX_WAIT_NANOS, this::go, this::state);
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

    abstract Lease grant();

    /** Returns how many leases connections hold beyond those that the store counts for them. */
    abstract int excess();

    /** Ends a lease. Returns false if it had ended before, or is of another kind. */
    abstract boolean end(Lease lease);

    /** Returns how many leases a transaction took back from this dead member. */
    abstract long takenFrom(Item dead);

    @Override
    public final CompletionStage<Lease> acquire() {
        return queue.join(false);
    }

    @Override
    public final CompletionStage<Void> release(Lease lease) {
        serial.enter(() -> comeBack(lease));
        return CompletableFuture.completedFuture(null);
    }

    private void comeBack(Lease lease) {
        if (end(lease)) {
            recalled = Math.max(0, recalled - 1);
            go();
        }
    }

    @Override
    public final void attach(Holder holder) {
        serial.enter(() -> holders.add(holder));
    }

    @Override
    public final void detach(Holder holder) {
        serial.enter(() -> holders.remove(holder));
    }

    /** Asks the holders to release leases, so that {@code wanted} leases in total are on their way back. */
    final void recall(int wanted) {
        if (wanted <= recalled) {
            return;
        }
        int more = wanted - recalled;
        recalled = wanted;
        List<Holder> all = List.copyOf(holders);
        serial.later(() -> {
            int left = more;
            for (Holder holder : all) {
                left -= left > 0 ? holder.recall(left) : 0;
            }
            int missing = left;
            serial.enter(() -> recalled = Math.max(0, recalled - missing));
        });
    }

    /** Recalls connections if this process holds more than the store counts, and cannot get more leases. */
    final void recallExcess() {
        if (excess() > 0 && need.isFull()) {
            recall(excess());
        }
    }

    /** No lease is available. Refuses all waiting requests. */
    final void full() {
        need.full();
        queue.refuse(state());
        recallExcess();
    }

    final Change usedNow() {
        return Change.set(ItemKeys.USED, used());
    }

    @Override
    public final List<Change> withHeartbeat() {
        return List.of(usedNow());
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

    /** Returns the counts. Called on the budget's serial executor. */
    public final BudgetStats.Leases stats() {
        return new BudgetStats.Leases(
                size(),
                used(),
                queue.size(),
                need.out(),
                settings.limit(),
                queue.failed(),
                membership.declaredDead(),
                takenBack);
    }

    /** Refuses all requests from now on. Called on the budget's serial executor. */
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
    public final void tookBack(Item dead) {
        long theirs = takenFrom(dead);
        takenBack += theirs;
        need.moved(-theirs);
        super.tookBack(dead);
        need.notFull();
    }
}
