package dev.reservoir.cluster.inspect;

import static dev.reservoir.cluster.inspect.InspectedFleet.BEGIN_SECONDS;
import static dev.reservoir.cluster.inspect.InspectedFleet.ENDPOINT;
import static dev.reservoir.cluster.inspect.InspectedFleet.SECOND;
import static dev.reservoir.cluster.inspect.InspectedFleet.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.AnswerLosingStore;
import dev.reservoir.cluster.inspect.ClusterRepair.Outcome;
import dev.reservoir.cluster.inspect.ClusterRepair.Plan;
import dev.reservoir.cluster.inspect.ClusterRepairStep.Kind;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Counts that are repaired while the fleet works. */
class ClusterRepairTest {
    private final InspectedFleet fleet = new InspectedFleet();

    private ClusterRepair repair(ClusterInspection inspection, Long setActive) {
        return new ClusterRepair(inspection, new Random(1), setActive);
    }

    private ClusterRepair repair() {
        return repair(fleet.inspection(), null);
    }

    private ClusterRepair repairByCounter() {
        return repair(fleet.byCounter(), null);
    }

    private static Plan plan(ClusterRepair repair) {
        return repair.plan((silent, left) -> {});
    }

    private static Outcome apply(ClusterRepair repair) {
        return repair.apply(plan(repair));
    }

    private void joinAndBeat(String id, int share) {
        fleet.join(id, share, share);
        fleet.beat(id, 4 * SECOND);
    }

    @Test
    void countsThatAreRightAreLeftAlone() {
        joinAndBeat("a1", 40);
        ClusterRepair repair = repair();

        Plan plan = plan(repair);
        Map<String, Item> before = fleet.table.items();
        Outcome outcome = repair.apply(plan);

        assertThat(plan.steps()).isEmpty();
        assertThat(outcome.done()).isEmpty();
        assertThat(fleet.table.items()).isEqualTo(before);
        assertThat(fleet.time.nanos())
                .as("nobody is watched longer than is needed")
                .isLessThan(15 * SECOND);
    }

    @Test
    void aPlanSaysWhatIsToBeDoneAndDoesNothing() {
        fleet.join("a1", 40, 35);
        fleet.count(12);
        fleet.list("gone");
        fleet.bucket((BEGIN_SECONDS + 7_200) * 1_000_000, 6);
        Map<String, Item> before = fleet.table.items();

        Plan plan = plan(repair());

        assertThat(fleet.table.items()).isEqualTo(before);
        assertThat(plan.steps())
                .extracting(ClusterRepairStep::kind)
                .containsExactly(Kind.RESET_BUCKET, Kind.SET_COUNT, Kind.TAKE_BACK, Kind.UNLIST);
        assertThat(plan.steps())
                .extracting(ClusterRepairStep::what)
                .containsExactly(
                        "let permits be reserved from now on, not from 119 min ahead, if nobody has reserved any"
                                + " meanwhile",
                        "set the count from 52 to 40, if no share has changed",
                        "delete member a1 and take its share of 40 off the count, if it has still not renewed",
                        "take gone out of the member list, if it still has no item");
    }

    @Test
    void everythingThatWasPlannedIsDone() {
        fleet.join("a1", 40, 35);
        fleet.count(12);
        fleet.list("gone");
        fleet.bucket((BEGIN_SECONDS + 7_200) * 1_000_000, 6);

        Outcome outcome = apply(repair());

        assertThat(outcome.done()).hasSize(4);
        assertThat(outcome.left()).isEmpty();
        assertThat(outcome.report().isRight()).isTrue();
        assertThat(fleet.total()).isZero();
        assertThat(fleet.ids()).isEmpty();
        assertThat(fleet.member("a1")).isNull();
        assertThat(fleet.number(ItemKeys.permits(ENDPOINT), ItemKeys.SEQUENCE)).isEqualTo(7);
        assertThat(fleet.number(ItemKeys.permits(ENDPOINT), ItemKeys.NEXT))
                .isBetween(fleet.nowMillis() * 1_000 - 3_000_000, fleet.nowMillis() * 1_000);
    }

    @Test
    void theCountIsSetToTheSumOfTheShares() {
        joinAndBeat("a1", 40);
        joinAndBeat("b2", 20);
        fleet.count(-50);

        Outcome outcome = apply(repair());

        assertThat(outcome.done()).extracting(ClusterRepairStep::kind).containsExactly(Kind.SET_COUNT);
        assertThat(fleet.total()).isEqualTo(60);
        assertThat(fleet.member("a1").number(ItemKeys.SHARE, 0)).isEqualTo(40);
    }

    @Test
    void aCountThatIsMissingIsMade() {
        joinAndBeat("a1", 40);
        fleet.table.write(Write.delete(ItemKeys.count(ENDPOINT)));

        apply(repair());

        assertThat(fleet.total()).isEqualTo(40);
    }

    @Test
    void theCountIsSetWhileTheFleetWorks() {
        for (int i = 0; i < 8; i++) {
            joinAndBeat("m" + i, 100);
            fleet.move("m" + i, 10, 400_000_000L + 70_000_000L * i);
        }
        fleet.count(7);

        Outcome outcome = apply(repair());

        assertThat(outcome.report().isRight()).isTrue();
        long sum = numbers("m", 8).stream()
                .mapToLong(id -> fleet.member(id).number(ItemKeys.SHARE, 0))
                .sum();
        assertThat(fleet.total()).isEqualTo(sum);
    }

    @Test
    void aCountThatMovesBetweenPlanAndWriteIsPlannedAnew() {
        joinAndBeat("a1", 40);
        fleet.count(12);
        ClusterRepair repair = repair();
        Plan plan = plan(repair);
        fleet.put(
                ItemKeys.member(ENDPOINT, "a1"),
                Change.set(ItemKeys.BEAT, 99),
                Change.set(ItemKeys.RENEWED, fleet.nowMillis()),
                Change.set(ItemKeys.SHARE, 45));
        fleet.count(5);

        Outcome outcome = repair.apply(plan);

        assertThat(outcome.done())
                .extracting(ClusterRepairStep::what)
                .containsExactly("set the count from 57 to 45, if no share has changed");
        assertThat(fleet.total()).isEqualTo(45);
    }

    @Test
    void moreMembersThanATransactionHasPlaceForAreNoObstacle() {
        numbers("m", 140).forEach(id -> joinAndBeat(id, 3));
        fleet.count(11);

        Outcome outcome = apply(repair());

        assertThat(outcome.done())
                .extracting(ClusterRepairStep::what)
                .containsExactly("set the count from 431 to 420, if none of the 99 largest shares has changed (a"
                        + " transaction has no place for the other 41)");
        assertThat(fleet.total()).isEqualTo(420);
    }

    @Test
    void aDeadMemberIsTakenBackAndALivingOneIsNot() {
        fleet.join("dead", 40, 35);
        joinAndBeat("lives", 20);

        Outcome outcome = apply(repair());

        assertThat(outcome.done()).extracting(ClusterRepairStep::kind).containsExactly(Kind.TAKE_BACK);
        assertThat(fleet.time.nanos()).as("a whole lease time").isGreaterThanOrEqualTo(60 * SECOND);
        assertThat(fleet.ids()).containsExactly("lives");
        assertThat(fleet.total()).isEqualTo(20);
    }

    /** Whoever repairs may have another lease time than the fleet. */
    @Test
    void nobodyIsTakenBackByALeaseTimeThatIsShorterThanItsOwn() {
        fleet.join("slow", 40, 35);
        fleet.table.write(Write.update(
                ItemKeys.member(InspectedFleet.ENDPOINT, "slow"), List.of(Change.set(ItemKeys.LEASE_MILLIS, 60_000))));
        fleet.beat("slow", 20 * SECOND);
        ClusterRepair repair = repair(fleet.inspection(fleet.settings().leaseTime(Duration.ofSeconds(5))), null);

        assertThat(apply(repair).done()).isEmpty();
        assertThat(fleet.member("slow")).isNotNull();
    }

    @Test
    void aMemberThatOnlySaysThatItIsOldIsWatchedAllTheSame() {
        fleet.join("a1", 40, 35);
        fleet.time.advance(3_600 * SECOND);
        fleet.beat("a1", 50 * SECOND);

        assertThat(plan(repair()).steps()).isEmpty();
        assertThat(fleet.member("a1")).isNotNull();
    }

    @Test
    void aMemberThatRenewsAfterThePlanIsNotTakenBack() {
        fleet.join("a1", 40, 35);
        ClusterRepair repair = repair();
        Plan plan = plan(repair);
        fleet.table.write(Write.update(ItemKeys.member(ENDPOINT, "a1"), List.of(Change.add(ItemKeys.BEAT, 1))));

        Outcome outcome = repair.apply(plan);

        assertThat(plan.steps()).hasSize(1);
        assertThat(outcome.done()).isEmpty();
        assertThat(outcome.left()).isEmpty();
        assertThat(fleet.member("a1")).isNotNull();
        assertThat(fleet.total()).isEqualTo(40);
    }

    @Test
    void aMemberThatIsNotInTheSetIsPutThereIfItLivesAndTakenBackIfNot() {
        fleet.item("lives", 5, 5);
        fleet.beat("lives", 4 * SECOND);
        fleet.item("dead", 7, 7);
        fleet.count(12);

        Outcome outcome = apply(repair());

        assertThat(outcome.done())
                .extracting(ClusterRepairStep::kind)
                .containsExactlyInAnyOrder(Kind.LIST, Kind.TAKE_BACK);
        assertThat(fleet.ids()).containsExactly("lives");
        assertThat(fleet.total()).isEqualTo(5);
    }

    @Test
    void aBucketThatIsReservedBySomebodyMeanwhileIsLookedAtAgain() {
        fleet.bucket((BEGIN_SECONDS + 7_200) * 1_000_000, 6);
        ClusterRepair repair = repair();
        Plan plan = plan(repair);
        fleet.bucket((BEGIN_SECONDS + 1) * 1_000_000, 7);

        Outcome outcome = repair.apply(plan);

        assertThat(outcome.done()).isEmpty();
        assertThat(fleet.number(ItemKeys.permits(ENDPOINT), ItemKeys.NEXT)).isEqualTo((BEGIN_SECONDS + 1) * 1_000_000);
    }

    @Test
    void leasesOfTheDeadAreCountedOffExactlyAndThoseOfGoAreLeftAlone() {
        fleet.join("dead", 0, 0);
        joinAndBeat("lives", 0);
        numbers("d", 250).forEach(id -> fleet.lease(id, "dead"));
        numbers("n", 120).forEach(id -> fleet.lease(id, "nobody"));
        numbers("l", 10).forEach(id -> fleet.lease(id, "lives"));
        numbers("g", 20).forEach(id -> fleet.lease(id, null));
        fleet.active(405);

        Outcome outcome = apply(repairByCounter());

        assertThat(outcome.done())
                .hasSize(5)
                .extracting(ClusterRepairStep::kind)
                .containsOnly(Kind.TAKE_BACK);
        assertThat(outcome.done())
                .extracting(ClusterRepairStep::writes)
                .allSatisfy(writes -> assertThat(writes).hasSizeLessThanOrEqualTo(100));
        assertThat(fleet.active()).isEqualTo(35);
        assertThat(outcome.report().counter().ours()).isEqualTo(10);
        assertThat(outcome.report().counter().others()).isEqualTo(20);
        assertThat(fleet.ids()).containsExactly("lives");
        assertThat(outcome.report().isRight()).isTrue();
    }

    @Test
    void partsThatWereTakenBackTellTheMemberShouldItLive() {
        fleet.join("slept", 0, 0);
        numbers("d", 150).forEach(id -> fleet.lease(id, "slept"));
        fleet.active(150);
        ClusterRepair repair = repairByCounter();
        Plan plan = plan(repair);
        Plan first = new Plan(plan.report(), plan.steps().subList(0, 1));

        fleet.table.transact(first.steps().get(0).writes(), "by another");

        assertThat(fleet.member("slept").number(ItemKeys.BEAT, 0)).isEqualTo(2);
        assertThat(fleet.active()).isEqualTo(54);
    }

    @Test
    void aCounterThatIsTooLowDoesNotKeepTheDeadInTheBooks() {
        fleet.join("dead", 0, 0);
        numbers("d", 10).forEach(id -> fleet.lease(id, "dead"));
        fleet.active(4);

        Outcome outcome = apply(repairByCounter());

        assertThat(outcome.left()).isEmpty();
        assertThat(outcome.report().isRight()).isTrue();
        assertThat(fleet.active()).isZero();
        assertThat(fleet.member("dead")).isNull();
    }

    @Test
    void aDeadMemberWhoseLeasesAreInOtherBooksIsLeftToThem() {
        fleet.put(
                ItemKeys.member(ENDPOINT, "dead"),
                Change.set(ItemKeys.BEAT, 1),
                Change.set("endpoint", "ORDERS.example"),
                Change.set(ItemKeys.LEASE_IDS, Set.of("01")));
        fleet.list("dead");

        assertThat(plan(repair()).steps()).isEmpty();
        Plan plan = plan(repairByCounter());

        assertThat(plan.steps()).isEmpty();
        assertThat(InspectedFleet.kinds(plan.report())).containsExactly("note OTHER_ENDPOINT", "wrong MEMBER_DEAD");
    }

    @Test
    void anOwnerThatJoinsAgainKeepsItsLeases() {
        fleet.lease("01", "back");
        fleet.active(1);
        fleet.time.schedule(30 * SECOND, () -> joinAndBeat("back", 0));

        assertThat(apply(repairByCounter()).done()).isEmpty();
        assertThat(fleet.active()).isEqualTo(1);
    }

    @Test
    void theCounterIsSetOnlyIfSomebodyAsksForIt() {
        fleet.lease("01", null);
        fleet.active(700);

        assertThat(plan(repairByCounter()).steps()).isEmpty();
        Outcome outcome = apply(repair(fleet.byCounter(), 1L));

        assertThat(outcome.done())
                .extracting(ClusterRepairStep::what)
                .containsExactly("set the counter from 700 to 1, if it has not changed");
        assertThat(fleet.active()).isEqualTo(1);
        assertThatThrownBy(() -> repair(fleet.byCounter(), -1L)).hasMessage("setActive is -1; allowed: 0 or more");
        assertThatThrownBy(() -> repair(fleet.inspection(), 1L))
                .hasMessage("setActive is 1; allowed: only in mode counter");
    }

    @Test
    void whatIsRefusedAgainAndAgainIsGivenUpAndSaid() {
        fleet.active(700);
        ClusterRepair repair = repair(fleet.byCounter(), 1L);
        Plan plan = plan(repair);
        churn();

        Outcome outcome = repair.apply(plan);

        assertThat(outcome.done()).isEmpty();
        assertThat(outcome.left()).extracting(ClusterRepairStep::kind).containsExactly(Kind.SET_ACTIVE);
        assertThat(fleet.active()).isGreaterThan(700);
    }

    /** Go processes that open connections without end. */
    private void churn() {
        fleet.time.schedule(1_000_000L, () -> {
            fleet.table.write(Write.update(fleet.counterKey(), List.of(Change.add(ItemKeys.ACTIVE, 1))));
            churn();
        });
    }

    @Test
    void aWriteWhoseAnswerIsLostIsDoneOnce() {
        fleet.join("dead", 40, 35);
        joinAndBeat("lives", 20);
        AnswerLosingStore lossy = new AnswerLosingStore(fleet.store, 2);
        ClusterInspection inspection = new ClusterInspection(
                fleet.settings().build(),
                lossy,
                lossy,
                fleet.time,
                () -> Instant.ofEpochMilli(fleet.nowMillis()),
                fleet::until);

        Outcome outcome = apply(repair(inspection, null));

        assertThat(lossy.lost()).isEqualTo(2);
        assertThat(outcome.done()).hasSize(1);
        assertThat(fleet.total()).isEqualTo(20);
        assertThat(outcome.report().isRight()).isTrue();
    }
}
