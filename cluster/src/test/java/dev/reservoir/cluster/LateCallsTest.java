package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.ParkingStore.Touch;
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
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that were given up as lost, and arrive after their caller has gone on. */
class LateCallsTest {
    private static final String ENDPOINT = "cluster.example";
    private static final long BEGIN_SECONDS = 1_700_000_000L;
    private static final long STEP_NANOS = 10_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final ModelTable table = new ModelTable(() -> BEGIN_SECONDS + time.nanos() / 1_000_000_000L);
    private final ParkingStore store = new ParkingStore(table);
    private final List<Lease> held = new ArrayList<>();

    private ClusterBudget start(LeaseMode mode, int limit) {
        return ClusterBudget.start(
                ClusterSettings.builder(ENDPOINT)
                        .permitMode(null)
                        .leaseMode(mode)
                        .limit(limit)
                        .whenAway(WhenAway.STOP)
                        .logged(false)
                        .build(),
                null,
                store,
                time,
                () -> Instant.ofEpochSecond(BEGIN_SECONDS, time.nanos()),
                new SplittableRandom(1));
    }

    private void want(ClusterBudget budget, int leases) {
        Leases source = Objects.requireNonNull(budget.leases());
        for (int i = 0; i < leases; i++) {
            var unused = source.acquire().thenAccept(held::add);
        }
    }

    /** How many leases the process has according to the table. */
    private long booked(ClusterBudget budget) {
        Item item = Objects.requireNonNull(
                table.item(ItemKeys.member(ENDPOINT, budget.stats().member())));
        return Math.max(
                item.number(ItemKeys.SHARE, 0), item.texts(ItemKeys.LEASE_IDS).size());
    }

    private void run(Duration duration) {
        for (long nanos = 0; nanos < duration.toNanos(); nanos += STEP_NANOS) {
            time.advance(STEP_NANOS);
            while (!store.isEmpty()) {
                store.deliver();
            }
        }
    }

    /** Until a call of this kind is the next to arrive. */
    private void runUntil(String kind) {
        runUntil(kind, touch -> touch.kind().equals(kind));
    }

    private void runUntil(String what, Predicate<Touch> isIt) {
        for (int steps = 0; steps < 6_000; steps++) {
            while (!store.isEmpty()) {
                if (isIt.test(store.touch())) {
                    return;
                }
                store.deliver();
            }
            time.advance(STEP_NANOS);
        }
        throw new AssertionError("no " + what + " within a minute");
    }

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void leasesThatMayStillGoBackAreNotUsedBeforeTheItemIsWrittenAgain(LeaseMode mode) {
        ClusterBudget budget = start(mode, 1_000);
        want(budget, 30);
        run(Duration.ofSeconds(20));
        assertThat(held).hasSize(30);
        Leases source = Objects.requireNonNull(budget.leases());
        for (int i = 0; i < 28; i++) {
            source.release(held.remove(held.size() - 1));
        }
        runUntil("transaction");
        Runnable givenBack = store.postpone();
        want(budget, 28);
        runUntil("transaction");
        store.fail(Kind.CONFLICT);
        String own = ItemKeys.member(ENDPOINT, budget.stats().member());
        runUntil("look at the own item", touch -> touch.read().equals(Set.of(own)));
        store.deliver();
        assertThat(booked(budget)).as("the item is as it was").isGreaterThanOrEqualTo(30);
        givenBack.run();
        assertThat(booked(budget)).as("what was given back arrives").isLessThan(10);
        assertThat((long) held.size()).as("it was not given out").isLessThanOrEqualTo(booked(budget));
        for (int i = 0; i < 2_000; i++) {
            run(Duration.ofMillis(10));
            assertThat((long) held.size()).isLessThanOrEqualTo(booked(budget));
        }
        assertThat(held).hasSize(30);
    }

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void aRenewalThatArrivesAfterAnotherDoesNothing(LeaseMode mode) {
        ClusterBudget budget = start(mode, 1_000);
        want(budget, 5);
        run(Duration.ofSeconds(20));
        runUntil("write");
        Runnable renewal = store.postpone();
        run(Duration.ofSeconds(1));
        Item before = Objects.requireNonNull(
                table.item(ItemKeys.member(ENDPOINT, budget.stats().member())));
        renewal.run();
        assertThat(table.item(ItemKeys.member(ENDPOINT, budget.stats().member())))
                .isEqualTo(before);
        run(Duration.ofSeconds(60));
        assertThat(booked(budget)).isGreaterThanOrEqualTo(5);
        assertThat(budget.stats().members()).isEqualTo(1);
    }

    /**
     * Whatever is lost, refused or late: at no moment does the process hold more than it has according to the table.
     */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void randomHistories(LeaseMode mode) {
        for (long seed = 0; seed < 200; seed++) {
            LateCallsTest world = new LateCallsTest();
            world.randomHistory(mode, new SplittableRandom(seed), mode + ", seed " + seed);
        }
    }

    private void randomHistory(LeaseMode mode, SplittableRandom random, String what) {
        // So few that what is not used goes back at once.
        ClusterBudget budget = start(mode, 22);
        Leases source = Objects.requireNonNull(budget.leases());
        List<Runnable> late = new ArrayList<>();
        want(budget, 20);
        run(Duration.ofSeconds(5));
        for (int step = 0; step < 400; step++) {
            switch (random.nextInt(12)) {
                case 0 -> want(budget, random.nextInt(22));
                case 1 -> {
                    for (int n = random.nextInt(held.size() + 1); n > 0; n--) {
                        source.release(held.remove(held.size() - 1));
                    }
                }
                case 2 -> late.forEach(Runnable::run);
                case 3 -> time.advance(random.nextLong(6_000_000_000L));
                default -> answer(random, late);
            }
            time.advance(random.nextLong(200_000_000L));
            assertThat((long) held.size()).as("%s, step %d", what, step).isLessThanOrEqualTo(booked(budget));
        }
    }

    private void answer(SplittableRandom random, List<Runnable> late) {
        if (!store.isEmpty()) {
            switch (random.nextInt(10)) {
                case 0, 1 -> late.add(store.postpone());
                case 2 -> store.fail(Kind.CONFLICT);
                case 3 -> store.loseAnswer();
                default -> store.deliver();
            }
        }
    }
}
