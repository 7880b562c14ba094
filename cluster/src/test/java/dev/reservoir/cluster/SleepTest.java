package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Machines that sleep while their monotonic clock stands still, and machines whose wall clock is set. */
class SleepTest {
    private static final long BEGIN_SECONDS = 1_700_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final int LIMIT = 100;

    private final VirtualTime time = new VirtualTime();
    private final ModelTable table = new ModelTable(() -> BEGIN_SECONDS + time.nanos() / SECOND);
    private final List<Member> processes = new ArrayList<>();

    /** When permits were granted to anybody, in true nanoseconds. */
    private final List<Long> permitted = new ArrayList<>();

    private final class Member implements Leases.Holder {
        final SleepingMachine machine = new SleepingMachine(time, BEGIN_SECONDS);
        final ClusterBudget budget;
        final List<Lease> held = new ArrayList<>();
        final LeaseMode mode;
        int asked;

        Member(LeaseMode mode) {
            this(mode, PermitMode.RESERVATION);
        }

        Member(LeaseMode mode, PermitMode permits) {
            this.mode = mode;
            int number = processes.size();
            SplittableRandom random = new SplittableRandom(number);
            ModelStore store =
                    new ModelStore(table, time, machine, () -> 4_000_000L + random.nextLong(8_000_000L), () -> false);
            budget = ClusterBudget.start(
                    ClusterSettings.builder("c.example")
                            .limit(LIMIT)
                            .permitMode(permits)
                            .leaseMode(mode)
                            .logged(false)
                            .build(),
                    store,
                    store,
                    machine,
                    machine,
                    new SplittableRandom(100 + number));
            leases().attach(this);
            processes.add(this);
        }

        Leases leases() {
            return Objects.requireNonNull(budget.leases());
        }

        void wantLeases(int n) {
            for (int i = 0; i < n; i++) {
                asked++;
                var unused = leases().acquire().whenComplete((lease, error) -> {
                    asked--;
                    if (lease != null) {
                        held.add(lease);
                        checkGrant();
                    }
                });
            }
        }

        /** The items say of every lease that is granted that it is this process's. */
        private void checkGrant() {
            Item item = table.item(ItemKeys.member("c.example", budget.stats().member()));
            long may = item == null
                    ? 0
                    : mode == LeaseMode.SHARE
                            ? item.number(ItemKeys.SHARE, 0)
                            : item.texts(ItemKeys.LEASE_IDS).size();
            assertThat((long) held.size()).as("held, of those in the items").isLessThanOrEqualTo(may);
        }

        void wantPermits(int n) {
            for (int i = 0; i < n; i++) {
                var unused = Objects.requireNonNull(budget.permits())
                        .acquire(Urgency.URGENT)
                        .thenAccept(permit -> permitted.add(time.nanos()));
            }
        }

        void releaseAll() {
            List<Lease> all = List.copyOf(held);
            held.clear();
            all.forEach(leases()::release);
        }

        @Override
        public int recall(int leases) {
            int n = Math.min(leases, held.size());
            for (int i = 0; i < n; i++) {
                var unused = leases().release(held.remove(held.size() - 1));
            }
            return n;
        }
    }

    private void run(Duration duration) {
        time.advance(duration.toNanos());
    }

    /** Replays all grants against the database's own bucket. */
    private void assertRateWasKept() {
        Collections.sort(permitted);
        double tokens = 1_000;
        long last = 0;
        for (long at : permitted) {
            tokens = Math.min(1_000, tokens + (at - last) / 1e9 * 100);
            last = at;
            tokens--;
            assertThat(tokens).as("tokens left at %d ns", at).isGreaterThanOrEqualTo(0);
        }
    }

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void nothingIsHeldThatWasTakenBackDuringTheSleep(LeaseMode mode) {
        Member sleeper = new Member(mode);
        Member other = new Member(mode);
        sleeper.wantLeases(60);
        run(Duration.ofSeconds(20));
        assertThat(sleeper.held).hasSize(60);
        sleeper.machine.sleep();
        run(Duration.ofSeconds(118));
        other.wantLeases(LIMIT);
        run(Duration.ofSeconds(12));
        assertThat(other.held).hasSize(LIMIT);
        sleeper.machine.wake();
        // Its connections have gone meanwhile, and it opens others, as an engine does.
        sleeper.releaseAll();
        sleeper.wantLeases(60);
        long end = time.nanos() + 10 * SECOND;
        while (time.step(end)) {
            assertThat(sleeper.held.size() + other.held.size()).isLessThanOrEqualTo(LIMIT);
        }
    }

    @Test
    void noSlotIsUsedThatLapsedDuringTheSleep() {
        Member sleeper = new Member(LeaseMode.SHARE);
        Member other = new Member(LeaseMode.SHARE);
        run(Duration.ofSeconds(20));
        sleeper.wantPermits(1_500);
        run(Duration.ofSeconds(1));
        sleeper.machine.sleep();
        run(Duration.ofSeconds(118));
        other.wantPermits(3_000);
        run(Duration.ofSeconds(12));
        sleeper.machine.wake();
        run(Duration.ofSeconds(30));
        assertRateWasKept();
        assertThat(permitted.size()).isGreaterThan(4_000);
    }

    @Test
    void noTicketOfASecondIsUsedAfterTheSleep() {
        Member sleeper = new Member(LeaseMode.COUNTER, PermitMode.WINDOW);
        Member other = new Member(LeaseMode.COUNTER, PermitMode.WINDOW);
        run(Duration.ofSeconds(20));
        for (int nap = 0; nap < 10; nap++) {
            sleeper.wantPermits(120);
            run(Duration.ofMillis(130));
            sleeper.machine.sleep();
            run(Duration.ofSeconds(5));
            other.wantPermits(300);
            run(Duration.ofMillis(1_500));
            sleeper.machine.wake();
            run(Duration.ofSeconds(8));
        }
        // Those of one second may be used for another one, whoever has them.
        for (long at : permitted) {
            long within = permitted.stream()
                    .filter(one -> one >= at && one < at + SECOND)
                    .count();
            assertThat(within).as("in the second after %d ns", at).isLessThanOrEqualTo(200);
        }
        assertThat(permitted).hasSize(10 * 420);
    }

    @Test
    void whoSleptBrieflyGoesOnWithWhatItHas() {
        Member sleeper = new Member(LeaseMode.SHARE);
        sleeper.wantLeases(10);
        run(Duration.ofSeconds(20));
        sleeper.machine.sleep();
        run(Duration.ofSeconds(5));
        sleeper.machine.wake();
        sleeper.releaseAll();
        sleeper.wantLeases(10);
        run(Duration.ofMillis(1));
        assertThat(sleeper.held).hasSize(10);
    }

    /** However long it slept: what it is granted at once is still its own, and after a long sleep nothing is. */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void sleepsOfAnyLength(LeaseMode mode) {
        for (int seconds = 20; seconds <= 64; seconds += 2) {
            processes.clear();
            Member sleeper = new Member(mode);
            new Member(mode);
            new Member(mode);
            sleeper.wantLeases(20);
            run(Duration.ofSeconds(30));
            assertThat(sleeper.held).hasSize(20);
            sleeper.machine.sleep();
            run(Duration.ofSeconds(seconds));
            sleeper.machine.wake();
            // Its connections have gone meanwhile. At each grant it is checked that the items have it.
            sleeper.releaseAll();
            sleeper.wantLeases(20);
            run(Duration.ofMillis(1));
            if (seconds >= 34) {
                assertThat(sleeper.held).as("%d s", seconds).isEmpty();
            }
            run(Duration.ofSeconds(12));
            sleeper.wantLeases(20 - sleeper.held.size());
            run(Duration.ofSeconds(12));
            assertThat(sleeper.held).as("%d s", seconds).hasSize(20);
            processes.forEach(process -> {
                process.releaseAll();
                var unused = process.budget.leave();
            });
            run(Duration.ofSeconds(10));
        }
    }

    /**
     * A wall clock that is set forward looks like a sleep, and one that is set back like nothing. Neither may do harm.
     */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void clocksThatAreSetCostAPauseAtMost(LeaseMode mode) {
        for (long seconds : new long[] {3_600, 40, 3, -3, -40, -3_600}) {
            Member process = new Member(mode);
            run(Duration.ofSeconds(10));
            process.wantLeases(10);
            process.wantPermits(20);
            run(Duration.ofSeconds(10));
            assertThat(process.held).hasSize(10);
            process.machine.wallOffNanos = seconds * SECOND;
            int before = permitted.size();
            process.releaseAll();
            process.wantLeases(10);
            process.wantPermits(20);
            run(Duration.ofSeconds(2));
            assertThat(process.held).as("%d s", seconds).hasSize(10);
            assertThat(permitted.size() - before).as("%d s", seconds).isEqualTo(20);
            process.releaseAll();
            var unused = process.budget.leave();
            run(Duration.ofSeconds(10));
        }
        assertRateWasKept();
    }

    /** At each grant it is checked that the items have it, and at the end that the rate was kept. */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void randomSleepsAndClocks(LeaseMode mode) {
        for (long seed = 0; seed < 15; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            processes.clear();
            permitted.clear();
            run(Duration.ofMinutes(5));
            for (int i = 0; i < 4; i++) {
                new Member(mode);
            }
            long began = time.nanos();
            for (int step = 0; step < 80; step++) {
                Member any = processes.get(random.nextInt(processes.size()));
                switch (random.nextInt(6)) {
                    case 0 -> {
                        if (any.machine.isAsleep()) {
                            any.machine.wake();
                        } else {
                            any.machine.sleep();
                        }
                    }
                    case 1 -> any.machine.wallOffNanos = (random.nextLong(240) - 120) * SECOND;
                    case 2 -> any.machine.wallOffNanos = 0;
                    default -> {
                        if (!any.machine.isAsleep()) {
                            if (random.nextBoolean()) {
                                any.releaseAll();
                            }
                            any.wantLeases(Math.max(0, 30 - any.held.size() - any.asked));
                            any.wantPermits(random.nextInt(200));
                        }
                    }
                }
                run(Duration.ofMillis(random.nextLong(step % 3 == 0 ? 60_000 : 3_000)));
            }
            processes.stream()
                    .map(process -> process.machine)
                    .filter(SleepingMachine::isAsleep)
                    .forEach(SleepingMachine::wake);
            run(Duration.ofMinutes(2));
            permitted.replaceAll(at -> at - began);
            assertRateWasKept();
            processes.forEach(process -> {
                process.releaseAll();
                var unused = process.budget.leave();
            });
        }
    }
}
