package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.ParkingStore.Touch;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.permits.ReservationPermits;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Reserved slots, in every order in which three processes can come to the store, with clocks that are minutes off and
 * are set anew, calls that get lost on the way there or back, processes that stand still, requests that are given up
 * and permits that are given back: no slot is ever used twice, and none before it is due on the store's clock.
 */
@Tag("exhaustive")
class SlotsExplorationTest {
    private static final long BEGIN_SECONDS = 1_700_000_000L;
    private static final long SLOT_MICROS = 100_000;

    @Test
    void everyOrderOfReserving() {
        assertThat(explore(new Bounds(8, 2, 0, 0, 1))).isGreaterThan(10_000);
    }

    @Test
    void everyOrderOfReservingGivingBackAndSettingClocks() {
        assertThat(explore(new Bounds(6, 1, 1, 1, 2))).isGreaterThan(10_000);
    }

    @Test
    void longRandomHistories() {
        for (long seed = 0; seed < 6_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            World world = new World(new Bounds(80, 10, 10, 10, 40));
            for (int i = 0; i < 80; i++) {
                List<Action> actions = world.actions();
                if (actions.isEmpty()) {
                    break;
                }
                world.perform(actions.get(random.nextInt(actions.size())), "seed " + seed);
            }
        }
    }

    private static int explore(Bounds bounds) {
        Choices choices = new Choices();
        int runs = 0;
        do {
            World world = new World(bounds);
            Action before = null;
            boolean pruned = false;
            for (int depth = 0; depth < bounds.depth && !pruned; depth++) {
                List<Action> actions = world.actions();
                if (actions.isEmpty()) {
                    break;
                }
                Action action = actions.get(choices.choose(actions.size()));
                // The other order of two that do not depend on each other gives the same, and is gone through as well.
                pruned = before != null && before.process > action.process && !before.touch.dependsOn(action.touch);
                if (!pruned) {
                    world.perform(action, choices.toString());
                    before = action;
                }
            }
            if (!pruned) {
                runs++;
            }
        } while (choices.next());
        return runs;
    }

    /** How long a history may be, and how much of what may happen in it. */
    private record Bounds(int depth, int faults, int standstills, int clockings, int turns) {}

    private enum Kinds {
        DELIVER,
        LOSE_ANSWER,
        LOSE_CALL,
        STAND_STILL,
        SET_CLOCK,
        ASK,
        GIVE_UP,
        GIVE_BACK
    }

    private record Action(int process, Kinds kind, Touch touch) {}

    private static final class World {
        private final Bounds bounds;
        private final ModelTable table;
        private final List<Member> processes = new ArrayList<>();

        /** By when they are due: permits that were used. */
        private final TreeMap<Long, Integer> used = new TreeMap<>();

        private long nowNanos;
        private int faults;
        private int standstills;
        private int clockings;
        private int turns;

        World(Bounds bounds) {
            this.bounds = bounds;
            this.table = new ModelTable(() -> BEGIN_SECONDS + nowNanos / 1_000_000_000L);
            for (int i = 0; i < 3; i++) {
                processes.add(new Member(table, i));
            }
            processes.forEach(this::runBriefly);
        }

        /**
         * Whatever takes less than a moment. Until it is its turn again, a process stands still, but its clock does
         * not.
         */
        private void runBriefly(Member p) {
            p.time.advance(200_000_000L);
            nowNanos = p.time.nanos();
        }

        List<Action> actions() {
            List<Action> actions = new ArrayList<>();
            for (Member p : processes) {
                int i = p.number;
                if (!p.store.isEmpty()) {
                    Touch touch = p.store.touch();
                    actions.add(new Action(i, Kinds.DELIVER, touch));
                    if (faults < bounds.faults && !touch.written().isEmpty()) {
                        actions.add(new Action(i, Kinds.LOSE_ANSWER, touch));
                        actions.add(new Action(i, Kinds.LOSE_CALL, Touch.NOTHING));
                    }
                }
                if (standstills < bounds.standstills) {
                    actions.add(new Action(i, Kinds.STAND_STILL, Touch.NOTHING));
                }
                if (clockings < bounds.clockings) {
                    actions.add(new Action(i, Kinds.SET_CLOCK, Touch.NOTHING));
                }
                if (turns < bounds.turns) {
                    actions.add(new Action(i, Kinds.ASK, Touch.NOTHING));
                    if (!p.asked.isEmpty()) {
                        actions.add(new Action(i, Kinds.GIVE_UP, Touch.NOTHING));
                    }
                    if (!p.inHand.isEmpty()) {
                        actions.add(new Action(i, Kinds.GIVE_BACK, Touch.NOTHING));
                    }
                }
            }
            return actions;
        }

        void perform(Action action, String history) {
            Member p = processes.get(action.process);
            p.time.jump(nowNanos - p.time.nanos());
            switch (action.kind) {
                case DELIVER -> p.store.deliver();
                case LOSE_ANSWER -> {
                    faults++;
                    p.store.loseAnswer();
                }
                case LOSE_CALL -> {
                    faults++;
                    p.store.fail(Kind.UNAVAILABLE);
                }
                case STAND_STILL -> {
                    standstills++;
                    p.time.jump(Duration.ofSeconds(9).toNanos());
                }
                case SET_CLOCK -> {
                    clockings++;
                    p.wallOffSeconds = p.wallOffSeconds == 0 ? 400 : -p.wallOffSeconds;
                }
                case ASK -> {
                    turns++;
                    p.ask();
                }
                case GIVE_UP -> {
                    turns++;
                    p.asked.remove(0).cancel(false);
                }
                case GIVE_BACK -> {
                    turns++;
                    p.inHand.remove(0).giveBack();
                }
            }
            runBriefly(p);
            // What is in hand is used in the end, but not at once, so that it can also be given back.
            while (p.inHand.size() > 2) {
                use(p, p.inHand.remove(0), history);
            }
            check(history);
        }

        private void use(Member p, ReservationPermits.Slot slot, String history) {
            Integer before = used.put(slot.dueMicros, p.number);
            if (before != null) {
                throw new AssertionError("after " + history + ": slot " + slot.dueMicros + " was used twice, by "
                        + before + " and " + p.number);
            }
        }

        /** No two slots that are used, or may be, are the same or overlap, and none is early. */
        private void check(String history) {
            TreeMap<Long, String> all = new TreeMap<>();
            used.forEach((due, process) -> all.put(due, "used by " + process));
            for (Member p : processes) {
                for (ReservationPermits.Slot slot : p.inHand) {
                    String other = all.put(slot.dueMicros, "in hand of " + p.number);
                    if (other != null) {
                        throw new AssertionError(
                                "after " + history + ": the same slot " + other + " and in hand of " + p.number);
                    }
                }
            }
            Long last = null;
            for (Long due : all.keySet()) {
                if (last != null && due - last < SLOT_MICROS) {
                    throw new AssertionError("after " + history + ": slots overlap: " + all);
                }
                last = due;
            }
            long nowMicros = BEGIN_SECONDS * 1_000_000 + nowNanos / 1_000;
            if (last != null && last > nowMicros) {
                throw new AssertionError(
                        "after " + history + ": a slot was granted " + (last - nowMicros) + " us before it was due");
            }
        }
    }

    private static final class Member {
        private final int number;
        private final VirtualTime time = new VirtualTime();
        private final ParkingStore store;
        private final ReservationPermits permits;
        private final List<CompletableFuture<Permit>> asked = new ArrayList<>();
        private final List<ReservationPermits.Slot> inHand = new ArrayList<>();
        private long wallOffSeconds;

        Member(ModelTable table, int number) {
            this.number = number;
            this.wallOffSeconds = 180L * (number - 1);
            this.store = new ParkingStore(table);
            ClusterSettings settings = ClusterSettings.builder("cluster.example")
                    .ratePerSecond(10)
                    .burst(2)
                    .leaseMode(null)
                    .whenAway(WhenAway.STOP)
                    .build();
            SerialExecutor serial = new SerialExecutor();
            BudgetContext context = new BudgetContext(
                    settings,
                    serial,
                    time,
                    () -> Instant.ofEpochSecond(BEGIN_SECONDS + wallOffSeconds, time.nanos()),
                    new SplittableRandom(number));
            permits = new ReservationPermits(context, context.callsTo(store));
            ask();
            if (number == 0) {
                ask();
            }
        }

        void ask() {
            CompletableFuture<Permit> request = permits.acquire(Urgency.URGENT).toCompletableFuture();
            asked.add(request);
            var unused = request.whenComplete((permit, error) -> {
                asked.removeIf(other -> other == request);
                if (permit instanceof ReservationPermits.Slot slot) {
                    inHand.add(slot);
                }
            });
        }
    }
}
