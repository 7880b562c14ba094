package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.membership.FailureDetector;
import dev.reservoir.cluster.membership.Membership;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Leases of a whole cluster by share. The member's item says how many connections this process may hold. That number
 * changes in one transaction with the cluster's count. The share grows by what is needed and a little more, and shrinks
 * when much of it is idle, so most leases need no call. When no lease is left, a process with less than its fair share
 * says so in the count, and processes with more release some.
 *
 * <p>The count is one item, which takes about a hundred transactions per second. When a fleet starts or ends at once,
 * it needs more. So a process that conflicts with others at the count also takes leases for its neighbours. It puts
 * them into its own shard of the member list as unclaimed leases, and the neighbours take them from there. While such
 * conflicts last, processes also put released leases there. The count is the sum of the shares and of the unclaimed
 * leases in the shards. {@link UnclaimedLeases} returns leases that nobody takes. The budget's serial executor guards
 * the state. Never blocks on the store.
 */
public final class ShareLeases extends QueuedLeases {
    /** How long idle leases are kept while there is enough for all, in checks of the failure detector. */
    private static final int CHECKS_IDLE = 2;

    /** How long idle leases are kept while leases are scarce. A successor usually needs them at once. */
    private static final long BRIEFLY_NANOS = 1_000_000_000L;

    /** From this part of the limit on, leases are scarce and a process keeps no spare ones. */
    private static final double SCARCE = 0.9;

    /** How long a process avoids the count after a conflict with others there, in checks of the failure detector. */
    private static final int CHECKS_CONTENDED = 2;

    /** Largest number of neighbours for which a process puts leases into the shard, for each as many as it takes. */
    private static final int NEIGHBOURS = 8;

    /** A shard that was read within this time is not read again before leases are taken from it. */
    private static final long FRESH_NANOS = 5_000_000L;

    private final StoreCalls calls;
    private final String countKey;
    private int share;
    private int used;

    /** How much the share changes if the write under way is applied; 0 if there is none. */
    private int moving;

    /** How much the number of unclaimed leases in the shard changes with the same write. */
    private int intoShard;

    /** The number of unclaimed leases in this member's shard, as last seen. */
    private long inShard;

    /** Until when this process avoids the count, because it conflicted with others there. */
    private long contendedUntilNanos;

    private boolean readsShard;
    private long readShardNanos;

    /** Until when some process below its fair share wants leases, and how many, as last seen. */
    private long hungryUntilSeconds;

    private long wantedByTheHungry;

    /** When this process last announced that it is such a process. */
    private long announcedNanos;

    /** How many leases of its share this process has to release for processes that have less. */
    private int toRelease;

    private long idleSinceNanos = Long.MAX_VALUE;

    /** Number of leases granted so far. It makes their ids unique. */
    private long leases;

    public ShareLeases(BudgetContext context, StoreCalls calls, Membership membership) {
        super(context, calls, membership);
        this.calls = calls;
        this.countKey = ItemKeys.count(settings.cluster());
        this.announcedNanos = time.nanos() - FailureDetector.checkNanos(settings);
        this.contendedUntilNanos = time.nanos();
    }

    @Override
    int size() {
        return share;
    }

    @Override
    int used() {
        return used;
    }

    @Override
    int excess() {
        return used - share;
    }

    @Override
    boolean mayGrant() {
        // Leases on their way back do not belong to this process, even if the write is never answered.
        int givenBack = Math.max(0, -moving);
        if (membership.isSure()) {
            return used < share - Math.max(toRelease, givenBack);
        }
        // A process that is not sure of its membership uses its local share only if the store is away.
        return storeHealth.usesLocalShare() && used < share - givenBack + need.localExtra();
    }

    @Override
    Lease grant() {
        used++;
        return new Held(membership.id() + "-" + ++leases);
    }

    @Override
    boolean end(Lease lease) {
        if (!(lease instanceof Held held) || held.ended) {
            return false;
        }
        held.ended = true;
        used--;
        return true;
    }

    private void nothingMoves() {
        moving = 0;
        intoShard = 0;
    }

    private boolean isHungry() {
        return hungryUntilSeconds * 1_000 > clock.millis();
    }

    private boolean isScarce() {
        return isHungry() || need.out() >= SCARCE * settings.limit();
    }

    private boolean isContended() {
        return time.nanos() < contendedUntilNanos;
    }

    private String shardKey() {
        return ItemKeys.membersWith(settings.cluster(), membership.id());
    }

    /** The number of spare leases to keep. */
    private int slack() {
        return isScarce() || isContended() ? 0 : Math.min(16, Math.max(2, used / 10));
    }

    private Write counted(int by) {
        List<Change> changes = List.of(
                Change.add(ItemKeys.TOTAL, by),
                Change.set(ItemKeys.UPDATED, clock.millis()),
                Change.set(ItemKeys.LIMIT, settings.limit()));
        Condition room =
                Condition.atMost(ItemKeys.TOTAL, settings.limit() - (long) by).orAbsent();
        return by > 0 ? Write.update(countKey, changes, room) : Write.update(countKey, changes);
    }

    /** Joins with no share, so that processes of a fleet that starts at once do not conflict at the count. */
    @Override
    public Move joining() {
        nothingMoves();
        return new Move(List.of(Change.set(ItemKeys.SHARE, 0), usedNow()), List.of());
    }

    @Override
    public void joined(Move move) {
        share = 0;
        inShard = 0;
        grown();
    }

    private void grown() {
        need.moved(moving + intoShard);
        need.met();
        toRelease = Math.max(0, toRelease + Math.min(0, moving));
        inShard += intoShard;
        nothingMoves();
        recallExcess();
        go();
    }

    @Override
    public @Nullable Move wanted() {
        nothingMoves();
        if (toRelease > 0 && used < share) {
            // Release these at once, before requests are served. Waiting requests must not get them.
            return move(-Math.min(toRelease, share - used));
        }
        int missing = used + queue.size() - share;
        if (missing > 0) {
            idleSinceNanos = Long.MAX_VALUE;
            return need.isFull() ? null : growth(missing);
        }
        need.met();
        int spare = -missing;
        int keep = isScarce() ? 0 : 2 * slack();
        if (spare <= keep) {
            idleSinceNanos = Long.MAX_VALUE;
            return null;
        }
        long now = time.nanos();
        idleSinceNanos = Math.min(idleSinceNanos, now);
        long patience = isScarce() ? BRIEFLY_NANOS : CHECKS_IDLE * FailureDetector.checkNanos(settings);
        long left = patience - (now - idleSinceNanos);
        if (left > 0) {
            need.goAgainIn(left);
            return null;
        }
        idleSinceNanos = Long.MAX_VALUE;
        return move(slack() - spare);
    }

    private @Nullable Move growth(int missing) {
        // Never ask for more than there is, because a count that does not exist yet refuses nothing.
        int n = Math.min(Math.min(missing + slack(), need.room()), settings.limit() - share);
        if (isHungry()) {
            n = Math.min(n, Math.max(context.fairShare(), used) - share);
        }
        if (n <= 0) {
            fullAndHungry();
            return null;
        }
        if (!need.isGathered() || readsShard) {
            return null;
        }
        if (isContended() && inShard < n && time.nanos() - readShardNanos > FRESH_NANOS) {
            readShard();
            return null;
        }
        return move(n);
    }

    private Move move(int by) {
        moving = by;
        intoShard = by > 0 ? toShard(by) : isContended() ? -by : 0;
        if (intoShard < 0) {
            moving = -intoShard;
        }
        List<Write> others = new ArrayList<>();
        if (moving + intoShard != 0) {
            others.add(counted(moving + intoShard));
        }
        if (intoShard != 0) {
            List<Change> moved = List.of(Change.add(ItemKeys.FREE, intoShard));
            others.add(
                    intoShard > 0
                            ? Write.update(shardKey(), moved)
                            : Write.update(shardKey(), moved, Condition.atLeast(ItemKeys.FREE, -intoShard)));
        }
        return new Move(List.of(Change.add(ItemKeys.SHARE, moving), usedNow()), others);
    }

    /**
     * Returns how many leases to put into the shard when this process takes {@code by} leases. A negative number means
     * that the process takes leases out of the shard instead, as many as there are.
     */
    private int toShard(int by) {
        if (inShard > 0 && (inShard >= by || isContended())) {
            return (int) -Math.min(inShard, by);
        }
        if (!isContended() || isScarce()) {
            return 0;
        }
        long room = Math.min(settings.limit() - need.out(), need.room()) - by;
        return (int) Math.max(0, Math.min((long) NEIGHBOURS * by, room / (4 * ItemKeys.SHARDS)));
    }

    @Override
    public void moved(Move move) {
        share += moving;
        grown();
    }

    /** The next attempt takes what there is. If there is nothing, all waiting requests are refused. */
    @Override
    public void refused(Move move, Answer answer) {
        int asked = moving + intoShard;
        boolean fromShard = intoShard < 0;
        nothingMoves();
        if (fromShard) {
            inShard = ItemKeys.number(answer.item(), ItemKeys.FREE);
            return;
        }
        if (need.refused(ItemKeys.number(answer.item(), ItemKeys.TOTAL), asked)) {
            fullAndHungry();
        }
    }

    private void fullAndHungry() {
        int missing = used + queue.size() - share;
        full();
        announceHunger(missing);
    }

    private void announceHunger(int missing) {
        long check = FailureDetector.checkNanos(settings);
        int wanted = Math.min(missing, context.fairShare() - share);
        if (wanted <= 0 || time.nanos() - announcedNanos < check) {
            return;
        }
        announcedNanos = time.nanos();
        long until = (clock.millis() + 3 * check / 1_000_000) / 1_000 + 1;
        Write write = Write.update(
                countKey, List.of(Change.set(ItemKeys.HUNGRY, until), Change.set(ItemKeys.WANTED, wanted)));
        calls.send(store -> store.write(write), (answer, error, sent) -> {});
    }

    @Override
    public void contended() {
        contendedUntilNanos = time.nanos() + CHECKS_CONTENDED * FailureDetector.checkNanos(settings);
    }

    /** Reads the shard, because a neighbour may have put leases into it in the meantime. */
    private void readShard() {
        readsShard = true;
        String key = shardKey();
        calls.send(store -> store.read(List.of(key), true), (answer, error, sent) -> {
            readsShard = false;
            readShardNanos = time.nanos();
            Item shard = answer == null ? null : answer.item();
            if (shard != null && !membership.id().isEmpty() && key.equals(shardKey())) {
                inShard = shard.number(ItemKeys.FREE, 0);
            }
            membership.go();
        });
    }

    @Override
    public void shardsRead(long own, Map<String, Long> inCharge) {
        inShard = own;
        boolean mayBeWanted = isContended() && !isScarce();
        unclaimedLeases.shardsRead(mayBeWanted ? Map.of() : inCharge, isScarce());
    }

    @Override
    void returned(long leases) {
        need.moved(-leases);
        need.notFull();
        go();
    }

    @Override
    public void adopt(Item own) {
        share = (int) own.number(ItemKeys.SHARE, 0);
        nothingMoves();
        go();
    }

    @Override
    public void lost() {
        share = 0;
        nothingMoves();
        inShard = 0;
        toRelease = 0;
        need.met();
    }

    @Override
    public List<Write> leaving() {
        if (share == 0) {
            return List.of();
        }
        return List.of(
                isContended() ? Write.update(shardKey(), List.of(Change.add(ItemKeys.FREE, share))) : counted(-share));
    }

    @Override
    long takenFrom(Item dead) {
        return dead.number(ItemKeys.SHARE, 0);
    }

    @Override
    public List<String> watched() {
        return List.of(countKey);
    }

    @Override
    public void watchedRead(List<@Nullable Item> items) {
        Item count = items.get(0);
        need.read(ItemKeys.number(count, ItemKeys.TOTAL));
        hungryUntilSeconds = ItemKeys.number(count, ItemKeys.HUNGRY);
        wantedByTheHungry = ItemKeys.number(count, ItemKeys.WANTED);
        // The fair share depends on the number of members.
        context.needMemberCount(isHungry());
        decideRelease();
        go();
    }

    /**
     * Decides how many leases to release. It applies while a process below its fair share wants leases and none is
     * free. A process above its fair share then releases half of its excess with each check, and never more than are
     * wanted.
     */
    private void decideRelease() {
        int beyond = share - context.fairShare();
        boolean releases = isHungry() && beyond > 0 && need.out() >= settings.limit();
        toRelease = releases ? (int) Math.min((beyond + 1) / 2, wantedByTheHungry) : 0;
        recall(Math.max(0, toRelease - Math.max(0, share - used)));
    }

    /** One lease. */
    private static final class Held implements Lease {
        private final String id;
        private boolean ended;

        Held(String id) {
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }
    }
}
