package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.Text;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Looks at other members and takes back what the dead among them held. A member is dead if its beat has not changed for long
 * enough on this process's own clock; it is deleted under the condition that the beat is still the same, so exactly once,
 * whoever tries. In quiet times each process looks at the next few members after itself, in the order of their ids: so
 * everyone is looked at by a few, and the first of any row of dead ones by one who lives. Who sees one that is overdue
 * looks at all. Guarded by the desk.
 */
final class Watch {
    /** How many members each looks at in quiet times. */
    private static final int NEXT_FEW = 3;

    /** Of how many dead members what they held is taken back at the same time. */
    private static final int AT_A_TIME = 3;

    /** How often it looks, counted in lease times. */
    private static final double LOOK = 1 / 12.0;

    /** After how much of a lease time without a sign a member is overdue. It renews more than once in that time. */
    private static final double OVERDUE = 0.2;

    /** Who has not looked for so much of a lease time has seen nothing: if the store was away, nobody could show that it lives. */
    private static final double BLIND = 0.3;

    /** After how much of a lease time without a sign a member is dead. The rest is for noticing it. */
    private static final double DEAD = 0.6;

    private final Surroundings around;
    private final ClusterSettings settings;
    private final Desk desk;
    private final Time time;
    private final Calls calls;
    private final Seat seat;
    private final Holding holding;
    private final RandomGenerator random;
    private final Map<String, Seen> seen = new HashMap<>();

    /** Those that are dead and not taken back yet, as they were last seen. */
    private final Map<String, Optional<Item>> dead = new LinkedHashMap<>();

    private NavigableSet<String> members = new TreeSet<>();

    /** The members as the store named them last. */
    private Set<String> named = Set.of();

    private long lookedNanos;
    private boolean busy;
    private boolean closed;
    private boolean looksAtAll;
    private final Set<String> takingBack = new HashSet<>();
    private Time.@Nullable Timer alarm;

    Watch(Surroundings around, Calls calls, Seat seat, Holding holding) {
        this.around = around;
        this.settings = around.settings();
        this.desk = around.desk();
        this.time = around.time();
        this.random = around.random();
        this.calls = calls;
        this.seat = seat;
        this.holding = holding;
    }

    void start() {
        look();
    }

    void close() {
        closed = true;
        if (alarm != null) {
            alarm.cancel();
        }
    }

    /** How many members there are, as last seen. */
    int members() {
        return members.size();
    }

    /** The time between two looks. */
    static long lookNanos(ClusterSettings settings) {
        return (long) (LOOK * settings.leaseTime().toNanos());
    }

    private void lookLater() {
        if (!closed) {
            double jitter = 0.9 + random.nextDouble() / 5;
            alarm = time.schedule((long) (lookNanos(settings) * jitter), () -> desk.enter(this::look));
        }
    }

    private void look() {
        if (closed || busy) {
            return;
        }
        busy = true;
        List<String> first = new ArrayList<>();
        first.add(Items.members(settings.cluster()));
        first.addAll(holding.watched());
        List<String> ids = idsToLookAt();
        List<String> now = ids.subList(0, Math.min(ids.size(), Store.KEYS_MOST - first.size()));
        List<String> keys = new ArrayList<>(first);
        now.forEach(id -> keys.add(Items.member(settings.cluster(), id)));
        calls.send(store -> store.read(keys, false), (answer, error, sent) -> {
            busy = false;
            if (answer != null) {
                List<@Nullable Item> items = answer.items();
                Item set = items.get(0);
                named(set == null ? Set.of() : set.texts(Items.IDS));
                forget(ids);
                holding.looked(items.subList(1, first.size()));
                noteAll(now, items.subList(first.size(), items.size()));
                lookOn(ids.subList(now.size(), ids.size()));
            }
            lookLater();
        });
    }

    private void named(Set<String> ids) {
        if (!ids.equals(named)) {
            named = ids;
            members = new TreeSet<>(ids);
        }
        around.members(members.size());
    }

    /** What was seen counts only of those who are looked at still. */
    private void forget(List<String> looked) {
        long now = time.nanos();
        if (now - lookedNanos > BLIND * settings.leaseTime().toNanos()) {
            seen.clear();
            dead.clear();
        }
        lookedNanos = now;
        Set<String> still = new HashSet<>(looked);
        still.retainAll(members);
        seen.keySet().retainAll(still);
        dead.keySet().retainAll(still);
    }

    /** Looks at those for whom there was no room in one read. */
    private void lookOn(List<String> ids) {
        for (int from = 0; from < ids.size(); from += Store.KEYS_MOST) {
            List<String> some = ids.subList(from, Math.min(ids.size(), from + Store.KEYS_MOST));
            List<String> keys = some.stream()
                    .map(id -> Items.member(settings.cluster(), id))
                    .toList();
            calls.send(store -> store.read(keys, false), (answer, error, sent) -> {
                if (answer != null) {
                    noteAll(some, answer.items());
                }
            });
        }
    }

    private List<String> idsToLookAt() {
        int most = looksAtAll ? Integer.MAX_VALUE : NEXT_FEW;
        List<String> others = new ArrayList<>();
        for (Set<String> side : List.of(members.tailSet(seat.id(), false), members.headSet(seat.id(), false))) {
            for (String id : side) {
                if (others.size() == most) {
                    return others;
                }
                others.add(id);
            }
        }
        return others;
    }

    private void noteAll(List<String> ids, List<@Nullable Item> items) {
        for (int i = 0; i < ids.size(); i++) {
            note(ids.get(i), items.get(i));
        }
        takeBackSome();
        long overdue = (long) (OVERDUE * settings.leaseTime().toNanos());
        looksAtAll = seen.values().stream().anyMatch(it -> time.nanos() - it.sinceNanos > overdue);
    }

    private void note(String id, @Nullable Item item) {
        long beat = item == null ? -1 : item.number(Items.BEAT, 0);
        long now = time.nanos();
        Seen before = seen.get(id);
        if (before == null || before.beat != beat) {
            seen.put(id, new Seen(beat, now));
        } else if (now - before.sinceNanos >= DEAD * Items.leaseNanos(item, settings.leaseTime())
                && !takingBack.contains(id)
                && !id.equals(seat.id())) {
            dead.put(id, Optional.ofNullable(item));
        }
    }

    /** Takes back what the dead held, a few at a time: all of them write the count. */
    private void takeBackSome() {
        var each = dead.entrySet().iterator();
        while (takingBack.size() < AT_A_TIME && each.hasNext() && seat.isSure() && !closed) {
            Map.Entry<String, Optional<Item>> next = each.next();
            each.remove();
            takeBack(next.getKey(), next.getValue().orElse(null));
        }
    }

    private void takeBack(String id, @Nullable Item dead) {
        String key = Items.member(settings.cluster(), id);
        Write outOfTheSet =
                Write.update(Items.members(settings.cluster()), List.of(Change.exclude(Items.IDS, Set.of(id))));
        List<Write> writes = new ArrayList<>();
        boolean whole = true;
        if (dead == null) {
            // Its item is gone, as it should be: only its name is left.
            writes.add(Write.check(key, Condition.absent(Items.BEAT)));
            writes.add(outOfTheSet);
        } else {
            Condition unchanged = Condition.equal(Items.BEAT, dead.number(Items.BEAT, 0));
            Holding.Move move = holding.takingBack(id, dead);
            whole = move.own().isEmpty();
            if (whole) {
                writes.add(Write.delete(key, unchanged));
                writes.add(outOfTheSet);
            } else {
                // A beat that is not its own tells it, should it live, that something was taken from it.
                List<Change> changes = new ArrayList<>(move.own());
                changes.add(Change.add(Items.BEAT, 1));
                writes.add(Write.update(key, changes, unchanged));
            }
            writes.addAll(move.others());
        }
        boolean all = whole;
        String token = around.newLongId();
        takingBack.add(id);
        calls.send(store -> store.transact(writes, token), (answer, error, sent) -> {
            takingBack.remove(id);
            tookBack(id, dead, all, answer);
            if (answer != null && dead != null && !answer.applied() && holding.notTakenBack(writes, answer)) {
                takeMore(id, dead.number(Items.BEAT, 0));
            }
            takeBackSome();
        });
    }

    /** Goes on at once with a member of whom not all could be taken back, if it has not written since. */
    private void takeMore(String id, long beat) {
        String key = Items.member(settings.cluster(), id);
        takingBack.add(id);
        calls.send(store -> store.read(List.of(key), true), (answer, error, sent) -> {
            takingBack.remove(id);
            Item item = answer == null ? null : answer.item();
            if (item != null && item.number(Items.BEAT, 0) == beat && seat.isSure() && !closed) {
                takeBack(id, item);
            }
            takeBackSome();
        });
    }

    /** If the answer was lost, the next look shows what became of it. */
    private void tookBack(String id, @Nullable Item dead, boolean whole, @Nullable Answer answer) {
        if (answer == null || !answer.applied() || dead == null) {
            return;
        }
        holding.tookBack(dead);
        if (!whole) {
            long beat = dead.number(Items.BEAT, 0) + 1;
            Seen before = seen.get(id);
            if (before != null) {
                seen.put(id, new Seen(beat, before.sinceNanos));
            }
            takeMore(id, beat);
        } else {
            Seen last = seen.get(id);
            long silentNanos = last == null ? 0 : time.nanos() - last.sinceNanos;
            members.remove(id);
            around.members(members.size());
            seen.remove(id);
            settings.log()
                    .info(
                            "Reservoir: leases of a dead process taken back  endpoint={} member={} service={} host={} leases={} silent=\"{}\"",
                            settings.cluster(),
                            id,
                            dead.text(Items.SERVICE),
                            dead.text(Items.HOST),
                            dead.number(Items.SHARE, dead.texts(Items.LEASE_IDS).size()),
                            Text.nanos(silentNanos));
        }
    }

    private record Seen(long beat, long sinceNanos) {}
}
