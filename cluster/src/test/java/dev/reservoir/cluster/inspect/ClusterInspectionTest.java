package dev.reservoir.cluster.inspect;

import static dev.reservoir.cluster.inspect.InspectedFleet.BEGIN_SECONDS;
import static dev.reservoir.cluster.inspect.InspectedFleet.ENDPOINT;
import static dev.reservoir.cluster.inspect.InspectedFleet.SECOND;
import static dev.reservoir.cluster.inspect.InspectedFleet.kinds;
import static dev.reservoir.cluster.inspect.InspectedFleet.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Finding;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Member;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Second;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items that an operator reads: right, wrong, and changing. */
class ClusterInspectionTest {
    private final InspectedFleet fleet = new InspectedFleet();

    @Test
    void emptyBooksAreRight() {
        ClusterInspectionReport report = fleet.inspection().read();

        assertThat(report.findings()).isEmpty();
        assertThat(report.isRight()).isTrue();
        assertThat(report.members()).isEmpty();
        assertThat(report.shares().written()).isFalse();
        assertThat(report.bucket().free()).isEqualTo(980);
        assertThat(report.storeMillis()).isBetween(BEGIN_SECONDS * 1_000, BEGIN_SECONDS * 1_000 + 1_000);
    }

    @Test
    void itSaysWhoHoldsWhat() {
        fleet.join("a1", 40, 35);
        fleet.join("b2", 20, 0);

        ClusterInspectionReport report = fleet.inspection().read();

        assertThat(report.findings()).isEmpty();
        assertThat(report.shares().total()).isEqualTo(60);
        assertThat(report.shares().sum()).isEqualTo(60);
        assertThat(report.shares().limit()).isEqualTo(10_000);
        Member first = report.members().get(0);
        assertThat(first.id()).isEqualTo("a1");
        assertThat(first.service()).isEqualTo("orders");
        assertThat(first.host()).isEqualTo("ip-10-0-0-1");
        assertThat(first.share()).isEqualTo(40);
        assertThat(first.used()).isEqualTo(35);
        assertThat(first.joinedMillis()).isEqualTo(BEGIN_SECONDS * 1_000);
        assertThat(first.beat()).isEqualTo(1);
        assertThat(first.listed() && first.written()).isTrue();
    }

    @Test
    void itReadsOnlyAndOnceWhereAllIsWell() {
        numbers("m", 250).forEach(id -> fleet.join(id, 4, 4));
        Map<String, Item> before = fleet.table.items();

        ClusterInspectionReport report = fleet.inspection().read();

        assertThat(report.isRight()).isTrue();
        assertThat(report.members()).hasSize(250);
        assertThat(fleet.table.items()).isEqualTo(before);
        assertThat(fleet.store.counts().itemsWritten()).isZero();
        assertThat(fleet.store.counts().itemsRead()).isLessThan(600);
    }

    @Test
    void aCountThatIsNotTheSumIsWrong() {
        fleet.join("a1", 40, 35);
        fleet.count(12);

        Finding more = fleet.inspection().read().findings().get(0);
        fleet.count(-20);
        Finding less = fleet.inspection().read().findings().get(0);

        assertThat(more.wrong()).isTrue();
        assertThat(more.text())
                .isEqualTo("the count is 52, the shares are 40 together: 12 that could be given out are not");
        assertThat(less.text()).endsWith(": 8 more than the limit could be given out");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 20, 80, 300})
    void aTransactionThatIsHalfSeenIsNotTakenForAnError(int everyMillis) {
        for (int i = 0; i < 8; i++) {
            fleet.join("m" + i, 100, 100);
            fleet.move("m" + i, 10, everyMillis * 1_000_000L + 700_000L * i);
        }

        for (int i = 0; i < 100; i++) {
            assertThat(fleet.inspection().read().isRight()).isTrue();
        }
    }

    @Test
    void aTrueDifferenceIsFoundThoughTheFleetMoves() {
        for (int i = 0; i < 8; i++) {
            fleet.join("m" + i, 100, 100);
            fleet.move("m" + i, 10, 400_000_000L + 70_000_000L * i);
        }
        fleet.count(7);

        assertThat(fleet.inspection().read().findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.subject()).isEqualTo("by 7"))
                .satisfies(finding -> assertThat(finding.wrong()).isTrue());
    }

    @Test
    void aNameWithoutAnItemAndAnItemWithoutAName() {
        fleet.join("a1", 40, 35);
        fleet.list("gone");
        fleet.item("hidden", 5, 5);
        fleet.count(5);

        ClusterInspectionReport report = fleet.inspection().read();

        assertThat(kinds(report)).containsExactlyInAnyOrder("wrong MEMBER_WITHOUT_ITEM", "wrong MEMBER_NOT_LISTED");
        assertThat(report.shares().sum()).isEqualTo(45);
        assertThat(report.members()).extracting(Member::id).containsExactly("a1", "gone", "hidden");
    }

    @Test
    void whoHasNotRenewedForLongerThanALeaseIsSilent() {
        fleet.join("a1", 40, 35);
        fleet.time.advance(61 * SECOND);

        ClusterInspectionReport report = fleet.inspection().read();

        assertThat(report.isRight()).isTrue();
        assertThat(report.findings())
                .singleElement()
                .satisfies(finding ->
                        assertThat(finding.text()).startsWith("member a1 has not renewed for 61 s (lease time 60 s)"));
    }

    @Test
    void watchingShowsWhoLives() {
        fleet.join("a1", 40, 35);
        fleet.join("b2", 40, 35);
        fleet.beat("b2", 2 * SECOND);

        ClusterInspectionReport report = fleet.inspection().watch(Duration.ofSeconds(12), left -> {});

        assertThat(report.watchedNanos()).isBetween(12 * SECOND, 14 * SECOND);
        assertThat(report.members().get(0).beatsSeen()).isZero();
        assertThat(report.members().get(0).stillNanos()).isGreaterThanOrEqualTo(12 * SECOND);
        assertThat(report.members().get(1).beatsSeen()).isEqualTo(6);
        assertThat(report.members().get(1).stillNanos()).isLessThan(4 * SECOND);
        assertThat(report.isRight()).isTrue();
    }

    @Test
    void whoIsWatchedForAWholeLeaseAndDoesNotRenewIsDead() {
        fleet.join("a1", 40, 35);
        fleet.join("b2", 40, 35);
        fleet.beat("b2", 2 * SECOND);

        ClusterInspectionReport report = fleet.inspection().watch(Duration.ofSeconds(60), left -> {});

        assertThat(kinds(report)).containsExactly("wrong MEMBER_DEAD");
        assertThat(report.findings().get(0).subject()).isEqualTo("a1");
    }

    @Test
    void moreThanTheLimitOrThanAShareIsExplained() {
        fleet.join("a1", 40, 45);

        ClusterInspectionReport report =
                fleet.inspection(fleet.settings().limit(30)).read();
        fleet.put(ItemKeys.count(ENDPOINT), Change.set(ItemKeys.TOTAL, 40), Change.set(ItemKeys.LIMIT, 30));
        ClusterInspectionReport over =
                fleet.inspection(fleet.settings().limit(30)).read();

        assertThat(kinds(report)).containsExactly("note LIMIT_DIFFERS", "note MEMBER_OVER_SHARE");
        assertThat(kinds(over)).containsExactly("note OVER_LIMIT", "note MEMBER_OVER_SHARE");
    }

    @Test
    void aCounterThatFitsItsLeasesIsRight() {
        fleet.join("a1", 0, 0);
        fleet.lease("01", "a1");
        fleet.lease("02", "a1");
        fleet.lease("03", null);
        fleet.active(3);

        ClusterInspectionReport report = fleet.byCounter().read();

        assertThat(report.findings()).isEmpty();
        assertThat(report.counter().ours()).isEqualTo(2);
        assertThat(report.counter().others()).isEqualTo(1);
        assertThat(report.counter().byOwner().get("a1")).containsExactly("01", "02");
        assertThat(report.counter().othersByService()).containsExactly(Map.entry("go-service", 1));
        assertThat(report.shares()).isNull();
    }

    @Test
    void aCounterAboveItsLeasesIsExplainedAndNotWrong() {
        fleet.lease("03", null);
        fleet.active(9);

        ClusterInspectionReport report = fleet.byCounter().read();

        assertThat(report.isRight()).isTrue();
        assertThat(report.findings().get(0).text())
                .startsWith("the counter is 9, the leases are 1: the other 8 are connections of Go processes");
    }

    @Test
    void aCounterBelowTheLeasesIsWrongOnlyIfItIsBelowOurs() {
        fleet.join("a1", 0, 0);
        fleet.lease("01", "a1");
        fleet.lease("02", "a1");
        fleet.lease("03", null);
        fleet.active(2);
        ClusterInspectionReport belowAll = fleet.byCounter().read();
        fleet.active(1);
        ClusterInspectionReport belowOurs = fleet.byCounter().read();

        assertThat(kinds(belowAll)).containsExactly("note COUNTER_DIFFERS");
        assertThat(kinds(belowOurs)).containsExactly("wrong COUNTER_TOO_LOW");
    }

    @Test
    void leasesOfNobodyAreFound() {
        fleet.join("a1", 0, 0);
        fleet.lease("01", "a1");
        fleet.lease("02", "b2");
        fleet.active(2);

        ClusterInspectionReport report = fleet.byCounter().read();

        assertThat(kinds(report)).containsExactly("wrong LEASES_OF_NOBODY");
        assertThat(report.findings().get(0).subject()).isEqualTo("b2");
    }

    @Test
    void theBucketSaysWhatIsFreeOrHowFarItIsReserved() {
        fleet.bucket((BEGIN_SECONDS - 3) * 1_000_000, 5);
        ClusterInspectionReport free = fleet.inspection().read();
        fleet.bucket((BEGIN_SECONDS + 20) * 1_000_000, 6);
        ClusterInspectionReport ahead = fleet.inspection().read();

        assertThat(free.bucket().free()).isBetween(300L, 310L);
        assertThat(free.isRight()).isTrue();
        assertThat(ahead.bucket().free()).isZero();
        assertThat(ahead.bucket().aheadMicros()).isBetween(19_000_000L, 20_000_000L);
        assertThat(ahead.isRight()).isTrue();
    }

    @Test
    void aBucketThatIsReservedForHoursIsWrong() {
        fleet.bucket((BEGIN_SECONDS + 7_200) * 1_000_000, 6);

        ClusterInspectionReport report = fleet.inspection().read();

        assertThat(kinds(report)).containsExactly("wrong BUCKET_FAR_AHEAD");
        assertThat(report.findings().get(0).text()).startsWith("permits are reserved 120 min ahead");
    }

    @Test
    void windowsSayWhatTheLastSecondsHad() {
        fleet.time.advance(20 * SECOND);
        long now = BEGIN_SECONDS + 20;
        fleet.put(fleet.windowKey(now - 2), Change.set(ItemKeys.WINDOW_COUNT, 100));
        fleet.put(fleet.windowKey(now - 1), Change.set(ItemKeys.WINDOW_COUNT, 120));
        fleet.put(fleet.windowKey(now + 1), Change.set(ItemKeys.WINDOW_COUNT, 3));

        ClusterInspectionReport report =
                fleet.inspection(fleet.settings().permitMode(PermitMode.WINDOW)).read();

        assertThat(report.bucket()).isNull();
        assertThat(report.windows().limit()).isEqualTo(100);
        assertThat(report.windows().seconds())
                .hasSize(12)
                .contains(new Second(now - 2, 100), new Second(now, 0), new Second(now + 1, 3));
        assertThat(kinds(report)).containsExactly("note WINDOW_OVER_LIMIT");
    }

    @Test
    void itemsOfTheOtherModeAreNoticed() {
        fleet.put(fleet.windowKey(BEGIN_SECONDS), Change.set(ItemKeys.WINDOW_COUNT, 3));
        fleet.active(12);
        ClusterInspectionReport ours = fleet.inspection().read();
        fleet.join("a1", 40, 35);
        fleet.bucket(BEGIN_SECONDS * 1_000_000, 1);
        ClusterInspectionReport theirs = fleet.inspection(
                        fleet.settings().permitMode(PermitMode.WINDOW).leaseMode(LeaseMode.COUNTER))
                .read();

        assertThat(ours.findings())
                .extracting(Finding::text)
                .anyMatch(text -> text.startsWith("permits are counted in mode window, too"))
                .anyMatch(text -> text.startsWith("leases are counted in mode counter, too"));
        assertThat(theirs.findings())
                .extracting(Finding::text)
                .anyMatch(text -> text.startsWith("permits are counted in mode reservation, too"))
                .anyMatch(text -> text.startsWith("leases are counted in mode share, too"));
    }

    @Test
    void withoutLeasesTheMembersAreWherePermitsAre() {
        fleet.join("a1", 0, 0);

        ClusterInspectionReport report = new ClusterInspection(
                        fleet.settings().leaseMode(null).build(),
                        fleet.store,
                        null,
                        fleet.time,
                        () -> Instant.ofEpochMilli(fleet.nowMillis()),
                        fleet::until)
                .read();

        assertThat(report.members()).hasSize(1);
        assertThat(report.shares()).isNull();
        assertThat(report.counter()).isNull();
    }

    @Test
    void aClockThatIsFarOffIsSaid() {
        ClusterInspectionReport report = new ClusterInspection(
                        fleet.settings().build(),
                        fleet.store,
                        fleet.store,
                        fleet.time,
                        () -> Instant.ofEpochMilli(fleet.nowMillis() + 120_000),
                        fleet::until)
                .read();

        assertThat(kinds(report)).containsExactly("note CLOCK_OFF");
        assertThat(report.findings().get(0).text()).contains("clock is 119 s ahead of the store's");
    }

    @Test
    void aStoreThatDoesNotAnswerIsAskedAFewTimesAndThenGivenUp() {
        fleet.cut = true;
        ClusterInspection inspection = fleet.inspection();

        assertThatThrownBy(inspection::read).isInstanceOf(StoreException.class).hasMessage("no answer within 5 s");
        assertThat(fleet.store.counts().calls()).isEqualTo(3);

        fleet.cut = false;
        assertThat(inspection.read().isRight()).isTrue();
    }
}
