package dev.reservoir.cluster.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.Fleet;
import dev.reservoir.cluster.ModesKit;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReservationPermitsTest {

    private static Fleet fleet() {
        return new Fleet(settings -> settings.leaseMode(null));
    }

    /** All grants of the fleet, in order. */
    private static List<Double> grants(Fleet fleet) {
        List<Double> all = new ArrayList<>();
        fleet.members.forEach(member -> all.addAll(member.permitted));
        all.sort(null);
        return all;
    }

    /** Never more than the burst and what the rate gives meanwhile, from any grant to any later one. */
    private static void assertRateKept(Fleet fleet, double rate, int burst) {
        List<Double> grants = grants(fleet);
        // The level of a bucket that is emptied by grants; looking at it at each is looking at all spans of time.
        double level = burst;
        double last = grants.get(0);
        for (double at : grants) {
            level = Math.min(burst, level + (at - last) * rate) - 1;
            last = at;
            assertThat(level).as("at %s s", at).isGreaterThanOrEqualTo(-1e-6);
        }
    }

    @Test
    void aFullBucketServesItsBurstAtOnceAndTheRestAtTheRate() {
        Fleet fleet = fleet();
        List<Fleet.Member> members = fleet.join(40);
        members.forEach(member -> member.wantPermits(50, Urgency.URGENT));
        fleet.run(Duration.ofSeconds(20));
        List<Double> grants = grants(fleet);
        assertThat(grants).hasSize(2_000);
        assertRateKept(fleet, 100, 1_000);
        // 1,000 at once, the others in 10 s; a tenth of a second's worth of the burst stays unused.
        assertThat(grants.get(1_999)).isBetween(10.0, 10.5);
        assertThat(grants.get(900)).isLessThan(0.5);
        // One write for each process, one more for those who found the bucket as another had just left it.
        assertThat(fleet.counts().writeUnits()).isLessThan(40 * 2 + 40 * 8.0);
    }

    @Test
    void aClockThatIsMinutesOffNeitherGetsNorCostsAnything() {
        Fleet fleet = fleet();
        fleet.join(4);
        fleet.members.get(0).wallOffSeconds = 300;
        fleet.members.get(1).wallOffSeconds = -300;
        fleet.members.forEach(member -> member.wantPermits(400, Urgency.URGENT));
        fleet.run(Duration.ofSeconds(3));
        fleet.members.get(2).wallOffSeconds = 100;
        fleet.members.get(3).wallOffSeconds = -100;
        fleet.run(Duration.ofSeconds(17));
        assertThat(grants(fleet)).hasSize(1_600);
        assertRateKept(fleet, 100, 1_000);
        // The one whose clock is set forward gives its slots up, since its machine may have slept, and reserves others.
        assertThat(grants(fleet).get(1_599)).isBetween(6.0, 9.5);
        assertThat(fleet.members.get(0).budget.stats().clockOffMillis()).isBetween(298_000L, 300_000L);
        assertThat(fleet.members.get(1).budget.stats().clockOffMillis()).isBetween(-300_000L, -298_000L);
    }

    @Test
    void twoHundredWaitingProcessesHoldTheRateWithFewWrites() {
        Fleet fleet = fleet();
        fleet.join(200).forEach(member -> member.wantPermits(30, Urgency.URGENT));
        fleet.run(Duration.ofSeconds(10));
        long before = grants(fleet).size();
        double units = fleet.counts().writeUnits();
        fleet.run(Duration.ofSeconds(10));
        assertThat(grants(fleet).size() - before).isBetween(990L, 1_010L);
        assertRateKept(fleet, 100, 1_000);
        assertThat((fleet.counts().writeUnits() - units) / 10).isLessThan(100);
    }

    @Test
    void amongTwoHundredWhoWantMuchNobodyIsLeftOutForLong() {
        Fleet fleet = fleet();
        fleet.join(200).forEach(member -> member.wantPermits(100, Urgency.URGENT));
        fleet.run(Duration.ofSeconds(28));
        // 3,800 permits, of which the first 38 could use all.
        assertThat(grants(fleet).size()).isGreaterThan(3_700);
        assertThat(fleet.members)
                .filteredOn(member -> member.permitted.isEmpty())
                .isEmpty();
        assertRateKept(fleet, 100, 1_000);
    }

    /** The database's bucket is full until the first connect arrives, and takes nothing more meanwhile. */
    @ParameterizedTest
    @ValueSource(longs = {0, 60, 120, 200, 500, 1_500})
    void answersThatTakeLongDoNotMakeTheFirstPermitsTooMany(long slowMillis) {
        Fleet fleet = fleet();
        fleet.slowNanos = slowMillis * 1_000_000;
        fleet.join(40).forEach(member -> member.wantPermits(50, Urgency.URGENT));
        fleet.run(Duration.ofSeconds(30));
        assertThat(grants(fleet)).hasSize(2_000);
        assertRateKept(fleet, 100, 1_000 - 15);
    }

    @ParameterizedTest
    @CsvSource({"300, 1000, 850", "300, 5, 850", "1500, 1000, 700", "1500, 5, 150"})
    void thoseWhoAskForOneAfterTheOtherGetOnHoweverSlowTheStoreIs(long slowMillis, int burst, int least) {
        Fleet fleet = new Fleet(settings -> settings.leaseMode(null).burst(burst));
        fleet.slowNanos = slowMillis * 1_000_000;
        fleet.join(200).forEach(member -> oneAfterTheOther(member, 100));
        fleet.run(Duration.ofSeconds(15));
        int before = grants(fleet).size();
        fleet.run(Duration.ofSeconds(10));
        assertThat(grants(fleet).size() - before).isGreaterThan(least);
        assertRateKept(fleet, 100, burst + 12);
    }

    private static void oneAfterTheOther(Fleet.Member member, int left) {
        var unused = member.wantPermit(Urgency.URGENT).thenAccept(permit -> {
            member.permitted.add(member.seconds());
            permit.answered();
            if (left > 1) {
                oneAfterTheOther(member, left - 1);
            }
        });
    }

    @Test
    void aProcessThatStoodStillDoesNotUseAllAtOnceWhatTheBucketCannotHold() {
        ModesKit kit = new ModesKit(5);
        ModesKit.OurProcess process = kit.start(kit.settings("cluster.example")
                .permitMode(PermitMode.RESERVATION)
                .leaseMode(null)
                .ratePerSecond(100)
                .burst(10));
        process.wantPermits(600, Urgency.URGENT);
        kit.advance(Duration.ofSeconds(3));
        process.own.stop();
        kit.advance(Duration.ofMillis(900));
        long before = process.granted();
        process.own.goOn();
        kit.advance(Duration.ofMillis(1));
        assertThat(process.granted() - before).isLessThanOrEqualTo(12);
        kit.advance(Duration.ofSeconds(10));
        assertThat(process.granted()).isEqualTo(600);
    }

    @Test
    void whoWaitsForABucketThatWasFarAheadGoesOnSoonAfterItIsMended() {
        Fleet fleet = fleet();
        List<Fleet.Member> members = fleet.join(3);
        members.forEach(member -> member.wantPermits(1, Urgency.URGENT));
        fleet.run(Duration.ofSeconds(1));
        String key = ItemKeys.permits(Fleet.ENDPOINT);
        long before = Objects.requireNonNull(fleet.table.item(key)).number(ItemKeys.NEXT, 0);
        setNext(fleet, key, before + 7_200_000_000L);
        fleet.run(Duration.ofSeconds(1));
        members.forEach(member -> member.wantPermits(500, Urgency.URGENT));
        fleet.run(Duration.ofSeconds(5));
        assertThat(grants(fleet)).hasSizeLessThan(40);
        setNext(fleet, key, before);
        fleet.run(Duration.ofSeconds(20));
        assertThat(grants(fleet).size()).isGreaterThan(900);
    }

    private static void setNext(Fleet fleet, String key, long micros) {
        var unused = fleet.table.write(Write.update(key, List.of(Change.set(ItemKeys.NEXT, micros))));
    }

    @Test
    void anEmptiedServiceIsServedBeforeOthersTopUp() {
        Fleet fleet = new Fleet(settings -> settings.leaseMode(null).burst(10));
        fleet.join(21);
        List<Fleet.Member> toppingUp = fleet.members.subList(0, 20);
        toppingUp.forEach(member -> member.wantPermits(60, Urgency.NORMAL));
        fleet.run(Duration.ofSeconds(2));
        Fleet.Member emptied = fleet.members.get(20);
        emptied.wantPermits(50, Urgency.URGENT);
        fleet.run(Duration.ofSeconds(3));
        // At most a second's worth of others before it, and then its own 50.
        assertThat(emptied.permitted).hasSize(50);
        assertThat(emptied.permitted.get(49)).isLessThan(2 + 1.2 + 0.64 + 0.7);
        fleet.run(Duration.ofSeconds(15));
        assertThat(grants(fleet)).hasSize(20 * 60 + 50);
        assertRateKept(fleet, 100, 10);
    }

    @Test
    void thoseWhoTopUpAreServedInTheEnd() {
        Fleet fleet = new Fleet(settings -> settings.leaseMode(null).burst(10));
        fleet.join(11);
        fleet.members.subList(0, 10).forEach(member -> {
            for (int i = 0; i < 20; i++) {
                fleet.time.schedule(i * 1_000_000_000L, () -> member.wantPermits(15, Urgency.URGENT));
            }
        });
        Fleet.Member patient = fleet.members.get(10);
        fleet.time.schedule(2_000_000_000L, () -> patient.wantPermits(5, Urgency.NORMAL));
        fleet.run(Duration.ofSeconds(24));
        assertThat(patient.permitted).hasSize(5);
    }

    @Test
    void whatIsNotNeededGoesBackToTheOthers() {
        Fleet fleet = new Fleet(settings -> settings.leaseMode(null).burst(10));
        Fleet.Member one = fleet.join();
        Fleet.Member other = fleet.join();
        List<CompletableFuture<Permit>> asked = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            asked.add(one.wantPermit(Urgency.URGENT));
        }
        fleet.run(Duration.ofSeconds(1));
        asked.stream().filter(request -> !request.isDone()).forEach(request -> request.cancel(false));
        fleet.run(Duration.ofMillis(200));
        other.wantPermits(20, Urgency.URGENT);
        fleet.run(Duration.ofSeconds(1));
        assertThat(other.permitted).hasSize(20);
        assertThat(one.permitStats().givenBack()).isGreaterThan(350);
    }

    @Test
    void aPermitThatIsGivenBackServesTheNextOfTheSameProcess() {
        Fleet fleet =
                new Fleet(settings -> settings.leaseMode(null).ratePerSecond(1).burst(1));
        Fleet.Member member = fleet.join();
        CompletableFuture<Permit> first = member.wantPermit(Urgency.URGENT);
        fleet.run(Duration.ofMillis(500));
        CompletableFuture<Permit> second = member.wantPermit(Urgency.URGENT);
        first.join().giveBack();
        fleet.run(Duration.ofMillis(10));
        assertThat(second).isCompleted();
    }

    @Test
    void aRequestWaitsNoLongerThanAllowedAndSaysWhatFor() {
        Fleet fleet = new Fleet(
                settings -> settings.leaseMode(null).ratePerSecond(1).burst(1).maxWait(Duration.ofSeconds(5)));
        Fleet.Member member = fleet.join();
        member.wantPermits(1, Urgency.URGENT);
        List<CompletableFuture<Permit>> asked = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            asked.add(member.wantPermit(Urgency.URGENT));
        }
        fleet.run(Duration.ofSeconds(6));
        assertThat(asked.stream()
                        .filter(CompletableFuture::isCompletedExceptionally)
                        .count())
                .isBetween(4L, 5L);
        assertThatThrownBy(asked.get(8)::join).hasMessageContaining("no permit within 5.0 s: next free slot in");
        assertThat(member.permits().describe()).startsWith("cluster's connection rate 1/s, burst 1, next free slot in");
    }

    @Test
    void whileTheStoreIsAwayEachOpensAtItsShare() {
        Fleet fleet = fleet();
        fleet.join(10);
        fleet.run(Duration.ofSeconds(20));
        fleet.members.forEach(member -> member.cut = true);
        fleet.members.forEach(member -> member.wantPermits(200, Urgency.URGENT));
        fleet.run(Duration.ofSeconds(25));
        // Of 25 s, up to 10 pass before the store counts as away.
        assertThat(grants(fleet)).hasSizeBetween(1_000, 2_500);
        assertThat(fleet.members).allSatisfy(member -> {
            assertThat(member.budget.stats().away()).isTrue();
            assertThat(member.permitted.size()).isBetween(100, 250);
        });
        fleet.members.forEach(member -> member.cut = false);
        fleet.run(Duration.ofSeconds(15));
        assertThat(fleet.members)
                .allSatisfy(member -> assertThat(member.budget.stats().away()).isFalse());
    }

    @Test
    void orOpensNothingIfThatWasChosen() {
        Fleet fleet = new Fleet(settings -> settings.leaseMode(null).whenAway(WhenAway.STOP));
        Fleet.Member member = fleet.join();
        fleet.run(Duration.ofSeconds(20));
        member.cut = true;
        member.wantPermits(10, Urgency.URGENT);
        fleet.run(Duration.ofSeconds(31));
        assertThat(member.permitted).isEmpty();
        assertThat(member.failedPermits).isEqualTo(10);
    }

    @Test
    void aProcessThatStartsDuringAnOutageIsCareful() {
        Fleet fleet = fleet();
        Fleet.Member member = fleet.join();
        member.cut = true;
        member.wantPermits(100, Urgency.URGENT);
        fleet.run(Duration.ofSeconds(30));
        // One in ten seconds, as if there were a thousand.
        assertThat(member.permitted.size()).isBetween(2, 4);
    }

    @Test
    void aClosedBudgetRefuses() {
        Fleet fleet = fleet();
        Fleet.Member member = fleet.join();
        fleet.run(Duration.ofSeconds(1));
        CompletableFuture<Void> left = member.budget.leave().toCompletableFuture();
        fleet.run(Duration.ofSeconds(1));
        assertThat(left).isCompleted();
        assertThatThrownBy(member.wantPermit(Urgency.URGENT)::join).hasMessageContaining("closed");
    }
}
