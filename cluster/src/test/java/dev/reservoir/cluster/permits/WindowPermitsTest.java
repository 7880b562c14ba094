package dev.reservoir.cluster.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ModesKit;
import dev.reservoir.cluster.ModesKit.Fault;
import dev.reservoir.cluster.ModesKit.GoPermits;
import dev.reservoir.cluster.ModesKit.OurProcess;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Permits by the second, together with Go processes. */
class WindowPermitsTest {
    private static final long MILLI = ModesKit.MILLI;
    private static final long SECOND = ModesKit.SECOND;

    private final ModesKit kit = new ModesKit(7);

    private String key(long second) {
        return "go_connect#orders.example#" + second;
    }

    private long countOf(long second) {
        Item item = kit.table.item(key(second));
        return item == null ? 0 : item.number("count", 0);
    }

    private long countOfAll() {
        return kit.table.items().values().stream()
                .mapToLong(it -> it.number("count", 0))
                .sum();
    }

    /** No second's item may ever show more. */
    private void checkSeconds(int limit) {
        kit.table
                .items()
                .forEach((key, item) ->
                        assertThat(item.number("count", 0)).as(key).isLessThanOrEqualTo(limit));
    }

    private static void giveBack(CompletableFuture<Permit> permit) {
        permit.join().giveBack();
    }

    @Test
    void theItemsAreThoseOfGo() {
        OurProcess one = kit.byWindow(100);
        kit.advance(Duration.ofMillis(2_345));
        one.wantPermits(3, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(100));

        assertThat(one.granted()).isEqualTo(3);
        Write write = one.store.sent.get(0).get(0);
        long atMillis = (Long) Objects.requireNonNull(write.changes().get(0).value());
        assertThat(atMillis).isBetween(kit.now().toEpochMilli() - 100, kit.now().toEpochMilli());
        assertThat(write)
                .isEqualTo(Write.update(
                        key(kit.second()),
                        List.of(
                                Change.set("updated_at_ms", atMillis),
                                Change.set("ttl_epoch", kit.second() + 180),
                                Change.add("count", 3)),
                        Condition.atMost("count", 97).orAbsent()));
        assertThat(kit.item(key(kit.second())).attributes())
                .isEqualTo(Map.of("count", 3L, "updated_at_ms", atMillis, "ttl_epoch", kit.second() + 180));
    }

    @Test
    void requestsOfOneMomentAreOneWrite() {
        OurProcess one = kit.byWindow(100);
        one.wantPermits(1, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(500));
        assertThat(one.store.counts().calls())
                .as("one read for the clock, one write")
                .isEqualTo(2);

        one.wantPermits(4, Urgency.NORMAL);
        one.wantPermits(5, Urgency.URGENT);
        kit.advance(Duration.ofMillis(100));
        assertThat(one.granted()).isEqualTo(10);
        assertThat(one.store.counts().calls()).isEqualTo(3);
    }

    @Test
    void noSecondEverCountsMoreThanTheLimit() {
        for (int i = 0; i < 5; i++) {
            kit.byWindow(20).wantPermits(100, i % 2 == 0 ? Urgency.URGENT : Urgency.NORMAL);
        }
        for (int i = 0; i < 300; i++) {
            kit.advance(Duration.ofMillis(100));
            checkSeconds(20);
        }
        long granted = kit.ours.stream().mapToLong(OurProcess::granted).sum();
        assertThat(granted).as("500 at 20/s take 25 s").isEqualTo(500);
        assertThat(countOfAll()).isEqualTo(500);
        kit.ours.forEach(it -> assertThat(it.granted()).isEqualTo(100));
    }

    @Test
    void oneProcessAloneUsesTheWholeOfEverySecond() {
        OurProcess one = kit.byWindow(100);
        one.wantPermits(1_000, Urgency.NORMAL);
        kit.advance(Duration.ofSeconds(10));
        assertThat(one.granted()).isEqualTo(1_000);
        assertThat(one.writes()).as("writes").isLessThanOrEqualTo(110);
    }

    @Test
    void whatIsLeftOfASecondIsTaken() {
        OurProcess one = kit.byWindow(100);
        one.wantPermits(1, Urgency.URGENT);
        kit.advance(Duration.ofMillis(2_100));
        long second = kit.second();
        kit.table.write(Write.update(key(second), List.of(Change.add("count", 95))));

        one.wantPermits(10, Urgency.URGENT);
        kit.advance(Duration.ofMillis(200));
        assertThat(countOf(second)).isEqualTo(100);
        assertThat(one.granted()).isEqualTo(6);
        assertThat(Objects.requireNonNull(one.budget.permits()).describe())
                .matches("cluster's connection rate 100/s, counted by the second, "
                        + "all 100 of this second taken, the next begins in (6[789]|7[0123])\\d ms");

        kit.advance(Duration.ofMillis(900));
        assertThat(one.granted()).isEqualTo(11);
        assertThat(countOf(second + 1)).isEqualTo(5);
    }

    @Test
    void aSecondThatIsFullIsNotAskedAgain() {
        OurProcess one = kit.byWindow(100);
        one.wantPermits(1, Urgency.URGENT);
        kit.advance(Duration.ofMillis(1_050));
        for (long second = kit.second(); second < kit.second() + 8; second++) {
            kit.table.write(Write.update(key(second), List.of(Change.set("count", 100))));
        }
        one.wantPermits(50, Urgency.URGENT);
        kit.advance(Duration.ofMillis(6_900));
        Set<String> asked = new HashSet<>();
        one.store.sent.forEach(writes -> assertThat(asked.add(writes.get(0).key()))
                .as(writes.get(0).key())
                .isTrue());
        assertThat(asked).hasSizeBetween(4, 8);
        assertThat(one.permitStats().denied()).isBetween(3L, 7L);
    }

    @Test
    void twoHundredWaitingProcessesHoldTheRateWithoutHammering() {
        for (int i = 0; i < 200; i++) {
            kit.byWindow(100).wantPermits(10, Urgency.URGENT);
        }
        List<Long> writesOfASecond = new ArrayList<>();
        long writes = 0;
        int seconds = 0;
        while (kit.ours.stream().anyMatch(it -> it.granted() < 10)) {
            assertThat(++seconds).as("2,000 permits at 100/s").isLessThanOrEqualTo(22);
            kit.advance(Duration.ofSeconds(1));
            long sofar = kit.ours.stream().mapToLong(OurProcess::writes).sum();
            writesOfASecond.add(sofar - writes);
            writes = sofar;
        }
        checkSeconds(100);
        assertThat(writesOfASecond).as("writes in each second").allMatch(it -> it <= 210);
        assertThat(writes).as("writes, for 2,000 permits").isLessThan(2_000);
    }

    @Test
    void theUrgentAreServedBeforeOthersTopUp() {
        for (int i = 0; i < 10; i++) {
            kit.byWindow(50).wantPermits(200, Urgency.NORMAL);
        }
        kit.advance(Duration.ofSeconds(3));
        OurProcess emptied = kit.byWindow(50);
        emptied.wantPermits(100, Urgency.URGENT);
        kit.advance(Duration.ofSeconds(3));
        assertThat(emptied.granted()).as("100 urgent ones at 50/s").isEqualTo(100);
        checkSeconds(50);
    }

    @Test
    void thoseWhoTopUpAreServedWhileOthersAreUrgentAllTheTime() {
        OurProcess patient = kit.byWindow(20);
        for (int i = 0; i < 4; i++) {
            kit.byWindow(20, it -> it.maxWait(Duration.ofMinutes(10))).wantPermits(1_000, Urgency.URGENT);
        }
        patient.wantPermits(1, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(2_900));
        patient.wantPermits(5, Urgency.NORMAL);
        kit.advance(Duration.ofSeconds(8));
        assertThat(patient.granted()).as("at first the urgent go before").isLessThan(6);
        kit.advance(Duration.ofSeconds(17));
        assertThat(patient.granted()).isEqualTo(6);
    }

    @Test
    void oursAndGoShareASecondFairly() {
        GoPermits go = kit.goPermits(100, Integer.MAX_VALUE, 60 * MILLI);
        OurProcess one = kit.byWindow(100, it -> it.maxWait(Duration.ofMinutes(10)));
        one.wantPermits(3_500, Urgency.URGENT);
        kit.advance(Duration.ofSeconds(30));
        checkSeconds(100);
        long all = go.granted + one.granted();
        assertThat(all).as("permits of 30 s").isBetween(2_850L, 3_000L);
        assertThat(go.granted).as("of the 15/s that one Go process can use").isGreaterThan(30 * 12);
    }

    @Test
    void manyOfOursAndManyOfGoShareFairly() {
        List<GoPermits> goes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            goes.add(kit.goPermits(50, Integer.MAX_VALUE, 20 * MILLI));
            kit.byWindow(50, it -> it.maxWait(Duration.ofMinutes(10))).wantPermits(2_000, Urgency.URGENT);
        }
        kit.advance(Duration.ofSeconds(60));
        checkSeconds(50);
        long their = goes.stream().mapToLong(it -> it.granted).sum();
        long our = kit.ours.stream().mapToLong(OurProcess::granted).sum();
        assertThat(our + their).isBetween(2_900L, 3_050L);
        assertThat(their).as("of " + (our + their)).isGreaterThan(600);
        assertThat(our).as("of " + (our + their)).isGreaterThan(600);
        long least = kit.ours.stream().mapToLong(OurProcess::granted).min().orElse(0);
        long most = kit.ours.stream().mapToLong(OurProcess::granted).max().orElse(0);
        assertThat(most).as("most and least of ours").isLessThan(2 * least);
    }

    @Test
    void whoWaitsTooLongIsToldWhy() {
        OurProcess one = kit.byWindow(5, it -> it.maxWait(Duration.ofMillis(2_500)));
        one.wantPermits(30, Urgency.NORMAL);
        kit.advance(Duration.ofSeconds(3));
        assertThat(one.granted()).isBetween(10L, 15L);
        assertThat(one.permitStats().failed()).isEqualTo(30 - one.granted());
        assertThatThrownBy(() -> one.permits.get(29).join())
                .hasMessageMatching(".*no permit within 2.5 s: (\\d of 5 taken in this second"
                        + "|all 5 of this second taken, the next begins in \\d+ ms)");
    }

    @Test
    void permitsGivenBackServeOthersAndAreNeverCountedDown() {
        OurProcess one = kit.byWindow(10);
        one.wantPermits(1, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(100));
        long calls = one.store.counts().calls();
        giveBack(one.permits.get(0));
        one.wantPermits(1, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(100));
        assertThat(one.granted()).isEqualTo(2);
        assertThat(one.store.counts().calls()).isEqualTo(calls);
        assertThat(countOfAll()).isEqualTo(1);

        giveBack(one.permits.get(1));
        kit.advance(Duration.ofMillis(2_500));
        one.wantPermits(1, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(100));
        assertThat(one.permitStats().lapsed()).isEqualTo(1);
        assertThat(countOfAll()).as("the late one is not used").isEqualTo(2);
    }

    @Test
    void aRequestThatWasGivenUpCostsNothing() {
        OurProcess one = kit.byWindow(10);
        one.wantPermits(2, Urgency.NORMAL);
        one.permits.get(0).cancel(false);
        kit.advance(Duration.ofMillis(100));
        assertThat(one.granted()).isEqualTo(1);
        assertThat(countOfAll()).isEqualTo(1);
    }

    @Test
    void permitsWhoseAnswerComesTooLateLapse() {
        OurProcess one = kit.byWindow(10);
        one.wantPermits(1, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(100));
        one.store.latencyNanos = 4 * SECOND;
        one.wantPermits(1, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(10));
        one.store.latencyNanos = 6 * MILLI;
        kit.advance(Duration.ofMillis(6_200));
        assertThat(one.permitStats().lapsed()).isEqualTo(1);
        assertThat(one.granted()).isEqualTo(2);
        assertThat(countOfAll()).isEqualTo(3);
    }

    @Test
    void lostAnswersNeverLetMoreThrough() {
        for (int i = 0; i < 3; i++) {
            OurProcess process = kit.byWindow(10, it -> it.maxWait(Duration.ofMinutes(5)));
            process.store.faults = () -> {
                int dice = kit.random.nextInt(10);
                return dice == 0 ? Fault.ANSWER_LOST : dice == 1 ? Fault.LATE : dice == 2 ? Fault.LOST : Fault.NONE;
            };
            process.wantPermits(60, Urgency.URGENT);
        }
        for (int i = 0; i < 600; i++) {
            kit.advance(Duration.ofMillis(100));
            checkSeconds(10);
        }
        kit.ours.forEach(it -> assertThat(it.granted()).isEqualTo(60));
        assertThat(countOfAll()).isGreaterThan(180);
    }

    @Test
    void throttlingBacksOffAndRecovers() {
        OurProcess one = kit.byWindow(10);
        one.store.faults = () -> Fault.THROTTLED;
        one.wantPermits(5, Urgency.URGENT);
        kit.advance(Duration.ofSeconds(10));
        assertThat(one.granted()).isZero();
        assertThat(one.budget.stats().away()).as("it does answer").isFalse();
        assertThat(one.writes()).isZero();
        one.store.faults = () -> Fault.NONE;
        kit.advance(Duration.ofSeconds(6));
        assertThat(one.granted()).isEqualTo(5);

        one.store.fail(Fault.THROTTLED, 5);
        long before = one.writes();
        one.wantPermits(1, Urgency.URGENT);
        kit.advance(Duration.ofSeconds(4));
        assertThat(one.writes() - before).isEqualTo(6);
        assertThat(one.granted()).isEqualTo(6);
    }

    @Test
    void whileTheStoreIsAwayItGoesOnAtItsShare() {
        OurProcess one = kit.byWindow(100, it -> it.localRatePerSecond(2.0));
        one.wantPermits(1, Urgency.NORMAL);
        kit.advance(Duration.ofSeconds(1));
        one.cut = true;
        one.wantPermits(60, Urgency.URGENT);
        kit.advance(Duration.ofSeconds(11));
        long atFirst = one.granted();
        kit.advance(Duration.ofSeconds(10));
        assertThat(one.budget.stats().away()).isTrue();
        assertThat(one.granted() - atFirst).as("10 s at 2/s").isBetween(19L, 21L);
        one.cut = false;
        kit.advance(Duration.ofSeconds(11));
        assertThat(one.budget.stats().away()).isFalse();
        assertThat(one.granted()).isEqualTo(61);
    }

    @Test
    void whileTheStoreIsAwayItStopsIfChosen() {
        OurProcess one = kit.byWindow(100, it -> it.whenAway(WhenAway.STOP));
        one.cut = true;
        one.wantPermits(5, Urgency.URGENT);
        kit.advance(Duration.ofSeconds(31));
        assertThat(one.granted()).isZero();
        assertThat(one.permitStats().failed()).isEqualTo(5);
        assertThatThrownBy(() -> one.permits.get(0).join()).hasMessageContaining("the cluster budget does not answer");
    }

    @Test
    void theSecondIsThatOfTheStoreWhateverThisMachineSays() {
        for (Duration ahead : List.of(Duration.ofMinutes(-7), Duration.ofMinutes(7), Duration.ofHours(3))) {
            OurProcess off = kit.start(
                    kit.settings(ModesKit.ENDPOINT)
                            .permitMode(PermitMode.WINDOW)
                            .leaseMode(null)
                            .ratePerSecond(10),
                    ahead);
            off.wantPermits(40, Urgency.URGENT);
            kit.advance(Duration.ofSeconds(7));
            assertThat(off.granted()).isEqualTo(40);
        }
        checkSeconds(10);
        Set<String> allowed = new HashSet<>();
        for (long second = ModesKit.BEGIN_SECONDS - 1; second <= kit.second() + 1; second++) {
            allowed.add(key(second));
        }
        assertThat(allowed).containsAll(kit.table.items().keySet());
    }

    @Test
    void aWallClockThatIsSetBackDoesNotStopIt() {
        Duration[] ahead = {Duration.ZERO};
        ClusterBudget budget = ClusterBudget.start(
                kit.settings(ModesKit.ENDPOINT)
                        .permitMode(PermitMode.WINDOW)
                        .leaseMode(null)
                        .ratePerSecond(5)
                        .build(),
                kit.byWindow(5).store,
                null,
                kit.time,
                () -> kit.now().plus(ahead[0]),
                kit.random.split());
        for (int minutes : new int[] {0, 20, -20, 5}) {
            ahead[0] = Duration.ofMinutes(minutes);
            List<CompletableFuture<Permit>> permits = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                permits.add(Objects.requireNonNull(budget.permits())
                        .acquire(Urgency.URGENT)
                        .toCompletableFuture());
            }
            kit.advance(Duration.ofSeconds(5));
            assertThat(permits).allMatch(ModesKit::isDone);
        }
    }

    @Test
    void twoPoolsOfOneProcessAskTogether() {
        OurProcess one = kit.byWindow(10);
        one.wantPermits(1, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(1_100));
        long before = one.writes();
        one.wantPermits(1, Urgency.NORMAL);
        kit.time.settle();
        one.wantPermits(1, Urgency.URGENT);
        kit.advance(Duration.ofMillis(50));
        assertThat(one.granted()).isEqualTo(3);
        assertThat(one.writes() - before).isBetween(1L, 2L);
    }

    @Test
    void closingSendsEverybodyAwayAndLeavesNoTimer() {
        OurProcess one = kit.byWindow(2);
        one.wantPermits(10, Urgency.NORMAL);
        kit.advance(Duration.ofMillis(500));
        assertThat(one.budget.leave().toCompletableFuture()).isDone();
        assertThat(one.permits).allMatch(CompletableFuture::isDone);
        assertThat(one.granted()).isEqualTo(2);
        giveBack(one.permits.get(0));
        kit.advance(Duration.ofSeconds(10));
        assertThat(kit.time.nextDueNanos()).isEqualTo(Long.MAX_VALUE);
        one.wantPermits(1, Urgency.URGENT);
        assertThatThrownBy(() -> one.permits.get(10).join()).hasMessageContaining("the cluster budget is closed");
    }
}
