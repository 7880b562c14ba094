package dev.reservoir.cluster;

import dev.reservoir.cluster.LeasePapers.Held;
import dev.reservoir.cluster.LeasePapers.Paper;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Leases of a whole cluster as Go processes count them: one counter, and one item for each lease. Ours are also named in the
 * member's item, in the same transaction, so that they can be taken back one by one and counted off if this process dies. Many
 * leases are taken or given back in one transaction; one that is given back is kept for a moment, so that a successor takes it over
 * without a write. Connections that were opened while the store was away, or whose leases others took back, have no lease until
 * there is room for one; if there is none, as many are called back. Never touches a lease that this project did not write.
 * Guarded by the desk.
 */
final class CounterLeases implements RationedLeases {
    /** Requests that come within this time are one write. */
    private static final long GATHER_NANOS = 1_000_000L;

    /** How much of what was free when the store was last seen is used while it is away. */
    private static final double SAFE = 0.8;

    private final Surroundings around;
    private final ClusterSettings settings;
    private final Desk desk;
    private final Time time;
    private final Reach reach;
    private final Seat seat;
    private final CounterBooks books;
    private final LeaseLine line;
    private final LeasePapers papers = new LeasePapers();

    /** What the write under way makes. */
    private List<Paper> taking = List.of();

    /** What the write under way ends. */
    private List<String> giving = List.of();

    /** Whether the last change took some. The next one then gives back, if there is something to. */
    private boolean tookLast;

    /** The most that can be had, as an answer said that refused more; MAX_VALUE if none did. */
    private int room = Integer.MAX_VALUE;

    private long active;
    private boolean looked;
    private long fullUntilNanos;
    private long giveNotBeforeNanos;
    private boolean gathering;
    private boolean gathered;
    private boolean lookingAgain;
    private long takenBack;

    CounterLeases(Surroundings around, Calls calls, Seat seat) {
        this.around = around;
        this.settings = around.settings();
        this.desk = around.desk();
        this.time = around.time();
        this.reach = around.reach();
        this.seat = seat;
        this.books = new CounterBooks(settings, around.clock());
        this.line = new LeaseLine(desk, time, this::go, this::state);
        reach.listen(this::go);
    }

    @Override
    public CompletionStage<Lease> acquire() {
        return line.join();
    }

    @Override
    public CompletionStage<Void> release(Lease lease) {
        if (lease instanceof Held held) {
            desk.enter(() -> comeBack(held));
        }
        return CompletableFuture.completedFuture(null);
    }

    private void comeBack(Held lease) {
        if (papers.comeBack(lease, time.nanos())) {
            line.cameBack();
            go();
        }
    }

    @Override
    public void attach(Holder holder) {
        line.attach(holder);
    }

    @Override
    public void detach(Holder holder) {
        line.detach(holder);
    }

    @Override
    public String describe() {
        StringBuilder text = new StringBuilder();
        desk.enter(() -> text.append(state()));
        return text.toString();
    }

    private String state() {
        String away = reach.isAway() ? ", the cluster budget does not answer (" + reach.why() + ")" : "";
        String without = papers.bare() == 0 ? "" : ", " + papers.bare() + " without";
        return active + " of the cluster's " + settings.limit() + " leases out, " + papers.held()
                + " of this process's " + papers.size() + " used" + without + away;
    }

    @Override
    public BudgetStats.Leases stats() {
        return new BudgetStats.Leases(
                papers.size(),
                papers.held(),
                line.size(),
                active,
                settings.limit(),
                line.denied(),
                seat.declaredDead(),
                takenBack);
    }

    @Override
    public void close() {
        line.close();
    }

    /** Serves whom it can, and lets the seat write what is to be written. */
    private void go() {
        serve();
        if (line.size() > 0 && (reach.isAway() || isFull())) {
            line.refuse(state());
        }
        seat.go();
    }

    private void serve() {
        while (line.size() > 0 && mayGrant()) {
            Held lease = papers.lend(around.newLongId());
            line.serve(lease, () -> desk.enter(() -> comeBack(lease)));
        }
    }

    private boolean mayGrant() {
        if (seat.isSure()) {
            return papers.free() > 0;
        }
        // Whoever is not sure finds out first; only if that cannot be does one that goes on alone use some of what was
        // free.
        return reach.goesOnAlone() && papers.held() < papers.size() + extraAlone();
    }

    private int extraAlone() {
        if (!looked) {
            return Math.max(1, settings.limit() / 100);
        }
        long free = Math.max(0, settings.limit() - active);
        return (int) (SAFE * free / Math.max(1, around.members()));
    }

    /** Whether nothing was to be had so lately that asking again is not worth a write. */
    private boolean isFull() {
        return time.nanos() < fullUntilNanos;
    }

    private Change used() {
        return Change.set(Items.USED, papers.held());
    }

    /** Joins with nothing: the lease items name their owner, whose id is new. */
    @Override
    public Move joining() {
        List<Change> own = new ArrayList<>(books.joining());
        own.add(used());
        return new Move(own, List.of());
    }

    @Override
    public void joined(Move move) {
        go();
    }

    @Override
    public @Nullable Move wanted() {
        taking = List.of();
        giving = List.of();
        long now = time.nanos();
        int need = papers.bare() + line.size() - papers.free();
        gathered &= need > 0;
        long dueIn = Math.max(papers.dueInNanos(now), giveNotBeforeNanos - now);
        if (need > 0 && !isFull() && (dueIn > 0 || !tookLast)) {
            Move growth = growth(need);
            if (growth != null) {
                return growth;
            }
        }
        if (dueIn <= 0) {
            return giveBack(papers.end(CounterBooks.LEASES_AT_ONCE, now));
        }
        if (dueIn < Long.MAX_VALUE) {
            lookAgain(dueIn);
        }
        return null;
    }

    private void lookAgain(long afterNanos) {
        if (!lookingAgain) {
            lookingAgain = true;
            time.schedule(
                    afterNanos,
                    () -> desk.enter(() -> {
                        lookingAgain = false;
                        seat.go();
                    }));
        }
    }

    private @Nullable Move growth(int need) {
        if (!gathered) {
            if (!gathering) {
                gathering = true;
                time.schedule(
                        GATHER_NANOS,
                        () -> desk.enter(() -> {
                            gathering = false;
                            gathered = true;
                            seat.go();
                        }));
            }
            return null;
        }
        int n = Math.min(Math.min(need, room), Math.min(settings.limit(), CounterBooks.LEASES_AT_ONCE));
        List<Paper> made = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            made.add(new Paper(around.newLongId(), time.nanos()));
        }
        taking = made;
        return books.take(made.stream().map(Paper::id).toList(), seat.id(), used());
    }

    private Move giveBack(List<String> ids) {
        giving = ids;
        return books.giveBack(ids, seat.id(), used());
    }

    @Override
    public void moved(Move move) {
        long now = time.nanos();
        tookLast = !taking.isEmpty();
        if (tookLast) {
            papers.add(taking, now);
            active += taking.size();
            room = Integer.MAX_VALUE;
            gathered = false;
        } else {
            papers.remove(giving);
            active -= CounterBooks.countedOff(move.others());
            books.ended();
        }
        taking = List.of();
        giving = List.of();
        recallExcess();
        go();
    }

    @Override
    public void refused(Move move, Answer answer) {
        if (taking.isEmpty()) {
            if (!books.learn(move.others(), answer)) {
                // Nothing to be done about it. The others are not kept waiting by trying on and on.
                giveNotBeforeNanos = time.nanos() + Watch.lookNanos(settings);
            }
            return;
        }
        if (!answer.refused().contains(0)) {
            // The name of a lease was taken. The next try has other names.
            return;
        }
        active = CounterBooks.activeOf(answer.item());
        long left = settings.limit() - active;
        if (left > 0 && left < taking.size()) {
            room = (int) left;
        } else {
            full();
        }
    }

    private void full() {
        fullUntilNanos = time.nanos()
                + (long) (Watch.lookNanos(settings) * (0.75 + around.random().nextDouble() / 2));
        room = Integer.MAX_VALUE;
        gathered = false;
        line.refuse(state());
        recallExcess();
    }

    private void notFull() {
        fullUntilNanos = time.nanos();
        room = Integer.MAX_VALUE;
    }

    /** Whoever holds more than it has leases for, and cannot get them, lets go. */
    private void recallExcess() {
        if (papers.bare() > 0 && isFull()) {
            line.recall(papers.bare());
        }
    }

    @Override
    public void adopt(Item own) {
        papers.settle(own.texts(Items.LEASE_IDS), taking, time.nanos());
        taking = List.of();
        giving = List.of();
        go();
    }

    @Override
    public void lost() {
        papers.settle(Set.of(), List.of(), time.nanos());
        taking = List.of();
        giving = List.of();
        room = Integer.MAX_VALUE;
    }

    @Override
    public void renewed() {
        go();
    }

    @Override
    public List<Change> along() {
        return List.of(used());
    }

    @Override
    public @Nullable Move beforeLeaving() {
        taking = List.of();
        giving = List.of();
        return papers.size() == 0 ? null : giveBack(papers.any(CounterBooks.LEASES_AT_ONCE));
    }

    /** If there are more than fit, the member stays, for others to take them back: nobody would find them without it. */
    @Override
    public List<Write> leaving() {
        if (papers.size() > CounterBooks.LEASES_AT_ONCE) {
            return List.of(Write.check(books.counterKey(), Condition.less(Items.ACTIVE, Long.MIN_VALUE)));
        }
        return books.endings(settings.endpoint(), papers.any(CounterBooks.LEASES_AT_ONCE), seat.id());
    }

    @Override
    public Move takingBack(String id, Item dead) {
        return books.takeBack(id, dead);
    }

    @Override
    public boolean notTakenBack(List<Write> writes, Answer answer) {
        return books.learn(writes, answer);
    }

    @Override
    public void tookBack(Item dead) {
        int theirs = books.atOnce(dead);
        takenBack += theirs;
        active -= theirs;
        books.ended();
        notFull();
    }

    @Override
    public List<String> watched() {
        return List.of(books.counterKey());
    }

    @Override
    public void looked(List<@Nullable Item> items) {
        looked = true;
        active = CounterBooks.activeOf(items.get(0));
        if (active < settings.limit()) {
            notFull();
        }
        go();
    }
}
