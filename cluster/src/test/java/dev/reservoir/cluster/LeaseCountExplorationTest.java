package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.ParkingStore.Touch;
import dev.reservoir.cluster.inspect.InspectedFleet;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The counts of leases by share, in every order in which three processes can come to the store, with every choice of
 * calls that get lost on the way there or back or are throttled, crashes, processes that stand still for longer than
 * the lease and go on, and processes that go on for that long while all others stand still. After each step the count
 * is the sum of the shares and of what lies in the shards, and not above the limit. Each time things calm down
 * afterwards, the living have what they hold, the dead have nothing, and nothing lies in the shards.
 */
@Tag("exhaustive")
class LeaseCountExplorationTest {
    private static final String ENDPOINT = "cluster.example";
    private static final long LEASE_NANOS = Duration.ofSeconds(60).toNanos();

    /** Fewer than are wanted. */
    private static final int FEW = 4;

    /** Enough leases that processes leave some of them unclaimed in the shards. */
    private static final int PLENTY = 400;

    /** The time at which a world begins, in seconds since 1970. */
    private static final long BEGIN_SECONDS = 1_700_000_000L;

    @Test
    void everyOrderOfJoiningAndGrowing() {
        assertThat(explore(new Bounds(11, 1, 0, 0, FEW), World::new)).isGreaterThan(10_000);
    }

    @Test
    void everyOrderOfCrashingStandingStillAndTakingBack() {
        assertThat(explore(new Bounds(6, 1, 2, 1, FEW), World::settled)).isGreaterThan(10_000);
    }

    /** Three processes have met at the count, so they lay leases into their shard and take them out of it. */
    @Test
    void everyOrderOfLayingIntoTheShardAndTakingOutOfIt() {
        Set<String> seen = new HashSet<>();
        Function<Bounds, World> met = bounds -> {
            World world = World.met(bounds);
            world.shardMoves = seen;
            return world;
        };
        assertThat(explore(new Bounds(7, 1, 0, 1, PLENTY), met)).isGreaterThan(10_000);
        assertThat(seen)
                .containsExactlyInAnyOrder(
                        "laid for neighbours", "laid instead of counted off", "taken out", "given back to the count");
    }

    @Test
    void longRandomHistories() {
        for (long seed = 0; seed < 2_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Bounds bounds = new Bounds(60, 8, 10, 6, random.nextBoolean() ? FEW : PLENTY);
            World world = random.nextBoolean()
                    ? new World(bounds)
                    : bounds.limit == FEW ? World.settled(bounds) : World.met(bounds);
            String what = "seed " + seed;
            for (int i = 0; i < 60; i++) {
                List<Action> actions = world.actions();
                if (actions.isEmpty()) {
                    break;
                }
                world.perform(actions.get(random.nextInt(actions.size())));
                world.check(what);
            }
            world.calmDown(what);
        }
    }

    private static int explore(Bounds bounds, Function<Bounds, World> begin) {
        Choices choices = new Choices();
        Set<String> calmed = new HashSet<>();
        int runs = 0;
        do {
            World world = begin.apply(bounds);
            Action before = null;
            for (int depth = 0; depth < bounds.depth; depth++) {
                List<Action> actions = world.actions();
                if (actions.isEmpty()) {
                    break;
                }
                Action action = actions.get(choices.choose(actions.size()));
                if (before != null && before.process > action.process && !before.touch.dependsOn(action.touch)) {
                    // The other order of these two gives the same, and is gone through as well.
                    world.pruned = true;
                    break;
                }
                world.perform(action);
                world.check(choices.toString());
                before = action;
            }
            if (!world.pruned) {
                runs++;
                if (calmed.add(world.fingerprint())) {
                    world.calmDown(choices.toString());
                }
            }
        } while (choices.next());
        return runs;
    }

    /** How long a history may be, how much may go wrong in it, and how many leases there are. */
    private record Bounds(int depth, int faults, int standstills, int turns, int limit) {}

    private enum Kinds {
        DELIVER,
        LOSE_ANSWER,
        LOSE_CALL,
        CONFLICT,
        THROTTLED,
        STAND_STILL,
        GO_ON_ALONE,
        CRASH,
        WANT_MORE,
        RELEASE,
        LEAVE
    }

    private record Action(int process, Kinds kind, Touch touch) {}

    /** Three processes and the table. */
    private static final class World {
        private final Bounds bounds;
        private final ModelTable table;
        private final List<Member> processes = new ArrayList<>();
        private int faults;
        private int standstills;
        private int turns;
        private boolean pruned;
        private long lyingBefore;
        private long totalBefore;

        /** The events of unclaimed leases that the exploration has seen. */
        private Set<String> shardMoves = new HashSet<>();

        World(Bounds bounds) {
            this.bounds = bounds;
            this.table = new ModelTable(() -> BEGIN_SECONDS + latest() / 1_000_000_000L);
            for (int i = 0; i < 3; i++) {
                processes.add(new Member(table, i, bounds.limit));
            }
            processes.forEach(Member::runBriefly);
        }

        private long latest() {
            return processes.stream().mapToLong(p -> p.time.nanos()).max().orElse(0);
        }

        /** All have joined, hold one lease each, and have seen each other. */
        static World settled(Bounds bounds) {
            World world = new World(bounds);
            for (int i = 0; i < 40; i++) {
                world.processes.forEach(p -> p.go(1_000_000_000L));
            }
            return world;
        }

        /** The same, and each of them wants more and has met another one at the count. */
        static World met(Bounds bounds) {
            World world = settled(bounds);
            for (Member p : world.processes) {
                for (int i = 0; i < 4; i++) {
                    p.wantMore();
                }
                p.runBriefly();
                while (!p.store.touch().kind().equals("transaction")) {
                    p.store.deliver();
                }
                p.store.fail(Kind.CONFLICT);
                p.runBriefly();
            }
            return world;
        }

        List<Action> actions() {
            List<Action> actions = new ArrayList<>();
            boolean mayFail = faults < bounds.faults;
            for (Member p : processes) {
                if (p.crashed) {
                    continue;
                }
                if (!p.store.isEmpty()) {
                    Touch touch = p.store.touch();
                    actions.add(new Action(p.number, Kinds.DELIVER, touch));
                    if (mayFail && !touch.written().isEmpty()) {
                        actions.add(new Action(p.number, Kinds.LOSE_ANSWER, touch));
                        actions.add(new Action(p.number, Kinds.LOSE_CALL, Touch.NOTHING));
                        boolean several = touch.kind().equals("transaction");
                        actions.add(new Action(p.number, several ? Kinds.CONFLICT : Kinds.THROTTLED, Touch.NOTHING));
                    }
                }
                if (mayFail) {
                    actions.add(new Action(p.number, Kinds.CRASH, Touch.NOTHING));
                }
                if (standstills < bounds.standstills) {
                    actions.add(new Action(p.number, Kinds.STAND_STILL, Touch.NOTHING));
                    actions.add(new Action(p.number, Kinds.GO_ON_ALONE, Touch.EVERYTHING));
                }
                if (turns < bounds.turns && !p.leaving) {
                    actions.add(new Action(p.number, Kinds.WANT_MORE, Touch.NOTHING));
                    if (!p.held.isEmpty()) {
                        actions.add(new Action(p.number, Kinds.RELEASE, Touch.NOTHING));
                    }
                    actions.add(new Action(p.number, Kinds.LEAVE, Touch.NOTHING));
                }
            }
            return actions;
        }

        void perform(Action action) {
            Member p = processes.get(action.process);
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
                case CONFLICT -> {
                    faults++;
                    p.store.fail(Kind.CONFLICT);
                }
                case THROTTLED -> {
                    faults++;
                    p.store.fail(Kind.THROTTLED);
                }
                case CRASH -> {
                    faults++;
                    p.crashed = true;
                }
                case STAND_STILL -> {
                    standstills++;
                    p.time.jump((long) (0.7 * LEASE_NANOS));
                }
                case GO_ON_ALONE -> {
                    standstills++;
                    for (int i = 0; i < 25; i++) {
                        p.go(2_000_000_000L);
                    }
                }
                case WANT_MORE -> {
                    turns++;
                    p.wantMore();
                }
                case RELEASE -> {
                    turns++;
                    p.release();
                }
                case LEAVE -> {
                    turns++;
                    p.leave();
                }
            }
            p.runBriefly();
        }

        /** The sum is right at every moment. */
        void check(String history) {
            long sum = 0;
            long lying = 0;
            Set<String> ids = new HashSet<>();
            for (Map.Entry<String, Item> entry : table.items().entrySet()) {
                if (entry.getKey().startsWith(ItemKeys.MEMBER_PREFIX)) {
                    ids.add(entry.getKey()
                            .substring(ItemKeys.member(ENDPOINT, "").length()));
                    sum += entry.getValue().number(ItemKeys.SHARE, -1);
                }
                long free = entry.getValue().number(ItemKeys.FREE, 0);
                lying += free;
                if (free < 0) {
                    throw new AssertionError("after " + history + ": " + free + " in " + entry.getKey());
                }
            }
            sum += lying;
            long total = total();
            if (total != sum || total > bounds.limit || !members().equals(ids)) {
                throw new AssertionError("after " + history + ": count " + total + ", sum of shares " + sum
                        + ", members " + members() + ", items of " + ids);
            }
            note(lying, total);
        }

        private void note(long lying, long total) {
            if (lying > lyingBefore) {
                shardMoves.add(total > totalBefore ? "laid for neighbours" : "laid instead of counted off");
            } else if (lying < lyingBefore) {
                shardMoves.add(total < totalBefore ? "given back to the count" : "taken out");
            }
            lyingBefore = lying;
            totalBefore = total;
        }

        private long total() {
            Item count = table.item(ItemKeys.count(ENDPOINT));
            return count == null ? 0 : count.number(ItemKeys.TOTAL, 0);
        }

        private Set<String> members() {
            return InspectedFleet.ids(table, ENDPOINT);
        }

        /** What the end of a history looks like, but for times and names. */
        String fingerprint() {
            Map<String, String> names = new TreeMap<>();
            StringBuilder text = new StringBuilder();
            new TreeMap<>(table.items())
                    .forEach((key, item) -> text.append(names.computeIfAbsent(key, k -> "k" + names.size()))
                            .append(item.number(ItemKeys.SHARE, -1))
                            .append('/')
                            .append(item.number(ItemKeys.TOTAL, -1))
                            .append('/')
                            .append(item.number(ItemKeys.FREE, 0))
                            .append('/')
                            .append(item.number(ItemKeys.BEAT, -1))
                            .append(' '));
            for (Member p : processes) {
                text.append(p.crashed ? "x" : p.leaving ? "l" : "o")
                        .append(p.held.size())
                        .append(p.budget.stats().leases())
                        .append(p.store.size())
                        .append(p.store.isEmpty() ? "" : p.store.touch().kind())
                        .append(' ');
            }
            return text.toString();
        }

        /** Everything works again. Calls of crashed processes that are still on their way arrive, too. */
        void calmDown(String history) {
            for (Member p : processes) {
                for (int calls = 0; p.crashed && !p.store.isEmpty(); calls++) {
                    assertThat(calls).as("calls in a row, %s", history).isLessThan(1_000);
                    p.store.deliver();
                }
            }
            check(history + " and late calls");
            long nanos = latest();
            for (Member p : processes) {
                p.time.jump(nanos - p.time.nanos());
            }
            // One lease time for whatever happened last, and one for calls that came late.
            for (int i = 0; i < 130; i++) {
                processes.stream().filter(p -> !p.crashed).forEach(p -> p.go(1_000_000_000L));
                check(history + ", calming down");
            }
            int held = 0;
            Set<String> living = new HashSet<>();
            for (Member p : processes) {
                if (!p.crashed && !p.leaving) {
                    BudgetStats stats = p.budget.stats();
                    BudgetStats.Leases leases = stats.leases();
                    held += p.held.size();
                    living.add(stats.member());
                    if (leases == null || leases.used() != p.held.size() || leases.share() < leases.used()) {
                        throw new AssertionError("after " + history + ": " + p.held.size() + " held, but " + leases);
                    }
                }
            }
            if (!living.isEmpty()) {
                assertThat(members()).as("after %s", history).isEqualTo(living);
                assertThat(total()).as("after %s", history).isBetween((long) held, (long) bounds.limit);
                assertThat(lyingBefore).as("lies in shards after %s", history).isZero();
            }
        }
    }

    /** One process with its own clock, which can be late, and its own way to the table. */
    private static final class Member implements Leases.Holder {
        private final int number;
        private final VirtualTime time = new VirtualTime();
        private final ParkingStore store;
        private final ClusterBudget budget;
        private final List<Lease> held = new ArrayList<>();
        private boolean crashed;
        private boolean leaving;
        private int wanted;
        private int asked;
        private long askedNanos;

        Member(ModelTable table, int number, int limit) {
            this.number = number;
            this.store = new ParkingStore(table);
            ClusterSettings settings = ClusterSettings.builder(ENDPOINT)
                    .permitMode(null)
                    .limit(limit)
                    .leaseTime(Duration.ofNanos(LEASE_NANOS))
                    .host("p" + number)
                    .build();
            this.budget = ClusterBudget.start(
                    settings,
                    null,
                    store,
                    time,
                    () -> Instant.ofEpochSecond(BEGIN_SECONDS, time.nanos()),
                    limit == FEW ? new SplittableRandom(number) : new OneShard(number));
            leases().attach(this);
            wanted = number == 0 ? 2 : 1;
            ask();
        }

        private Leases leases() {
            @Nullable Leases leases = budget.leases();
            if (leases == null) {
                throw new AssertionError("no leases");
            }
            return leases;
        }

        /** As the engine does: asks for what is missing, and again a while after a refusal. */
        private void ask() {
            askedNanos = time.nanos();
            for (int i = held.size() + asked; i < wanted; i++) {
                asked++;
                var unused = leases().acquire()
                        .whenComplete((lease, error) -> asked--)
                        .thenAccept(lease -> {
                            if (crashed || held.size() >= wanted) {
                                leases().release(lease);
                            } else {
                                held.add(lease);
                            }
                        });
            }
        }

        void wantMore() {
            wanted++;
            ask();
        }

        void release() {
            wanted--;
            leases().release(held.remove(0));
        }

        void leave() {
            leaving = true;
            wanted = 0;
            held.forEach(leases()::release);
            held.clear();
            budget.leave();
        }

        @Override
        public int recall(int leases) {
            int n = Math.min(leases, held.size());
            for (int i = 0; i < n; i++) {
                Lease lease = held.remove(held.size() - 1);
                time.execute(() -> leases().release(lease));
            }
            wanted = held.size();
            return n;
        }

        /** Whatever takes less than a moment. */
        void runBriefly() {
            if (!crashed) {
                time.advance(200_000_000L);
            }
        }

        /** Goes on with nothing in its way. */
        void go(long nanos) {
            time.advance(nanos);
            for (int i = 0; i < 20 && !store.isEmpty(); i++) {
                store.deliver();
                time.advance(2_000_000L);
            }
            if (!leaving && held.size() < wanted && time.nanos() - askedNanos > 11_000_000_000L) {
                ask();
            }
        }
    }

    /** Gives ids that begin with the same digit, so that all members are in one shard. */
    private static final class OneShard implements RandomGenerator {
        private final SplittableRandom random;

        OneShard(long seed) {
            this.random = new SplittableRandom(seed);
        }

        @Override
        public long nextLong() {
            return random.nextLong() >>> 4;
        }

        @Override
        public double nextDouble() {
            return random.nextDouble();
        }
    }
}
