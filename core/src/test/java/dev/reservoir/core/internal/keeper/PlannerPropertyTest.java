package dev.reservoir.core.internal.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.Targets;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** What holds for every plan, whatever the situation. Situations are drawn at random; a failure prints its seed. */
class PlannerPropertyTest {
    private static final int SITUATIONS = 100_000;
    private static final long SCAN = 1_000_000_000L;
    private static final long NO_PACE = Long.MIN_VALUE;
    private static final int ANY = Integer.MAX_VALUE;

    private static void forAll(BiConsumer<Situation, Plan> check) {
        for (int seed = 0; seed < SITUATIONS; seed++) {
            Situation situation = any(new SplittableRandom(seed));
            Plan plan = Planner.plan(situation, SCAN);
            try {
                check.accept(situation, plan);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + situation + " " + plan + ": " + e.getMessage(), e);
            }
        }
    }

    private static int upTo(SplittableRandom random, int most) {
        return random.nextInt(most + 1);
    }

    static Situation any(SplittableRandom random) {
        int maxOpen = 1 + random.nextInt(random.nextBoolean() ? 5 : 100);
        int target = random.nextBoolean() ? maxOpen : upTo(random, maxOpen);
        Targets targets = new Targets(maxOpen, target, upTo(random, target), upTo(random, maxOpen));
        int allowance = upTo(random, 3);
        // More than the maximum only after it was lowered.
        int ready = upTo(random, random.nextInt(10) == 0 ? 2 * maxOpen : maxOpen);
        int inUse = upTo(random, Math.max(0, maxOpen + allowance - ready));
        int marked = upTo(random, inUse);
        int aging = upTo(random, ready + inUse - marked);
        int opening = upTo(random, Math.max(0, maxOpen + allowance - ready - inUse));
        int closing = upTo(random, Math.max(0, maxOpen + allowance - ready - inUse - opening));
        int overflowMax = upTo(random, 3);
        int overflow = upTo(random, overflowMax);
        long now = random.nextLong(1_000_000);
        return new Situation(
                now,
                targets,
                allowance,
                ready,
                upTo(random, random.nextBoolean() ? 0 : ready),
                inUse,
                marked,
                aging,
                opening,
                closing,
                random.nextBoolean() ? 0 : upTo(random, 20),
                overflow,
                upTo(random, overflowMax - overflow),
                overflowMax,
                1 + random.nextInt(120),
                random.nextBoolean() ? 0 : random.nextLong(1_000_000),
                random.nextBoolean() ? Long.MIN_VALUE : random.nextLong(1_000_000),
                random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(5),
                random.nextInt(4) == 0,
                random.nextInt(8) == 0);
    }

    /** The situation once a plan was carried out and every connect begun; retired ones were ready, so that they are gone. */
    private static Situation after(Situation s, Plan p) {
        int retired = p.supersede() + p.shed();
        int marked = Math.max(0, retired - s.ready());
        int fromReady = Math.min(s.ready(), retired + p.makeRoom());
        return new Situation(
                s.nowNanos(),
                s.targets(),
                s.allowance(),
                s.ready() - fromReady,
                Math.min(s.doubtful(), s.ready() - fromReady),
                s.inUse(),
                s.marked() + marked,
                Math.max(
                        0,
                        Math.min(s.aging() - p.supersede() - p.makeRoom(), s.live() - fromReady - s.marked() - marked)),
                s.opening() + p.open(),
                s.closing(),
                s.waiting(),
                s.overflow(),
                s.openingOverflow() + p.openOverflow(),
                s.overflowMax(),
                s.opensInFlightMax(),
                s.mayOpenFromNanos(),
                p.paced() > 0 ? s.nowNanos() + 1 : s.calmFromNanos(),
                s.calmAtOnce(),
                s.probing(),
                s.paused());
    }

    @Test
    void nothingIsEverNegative() {
        forAll((s, p) -> assertThat(Math.min(
                        Math.min(p.open(), p.openOverflow()),
                        Math.min(Math.min(p.supersede(), p.shed()), p.makeRoom())))
                .isGreaterThanOrEqualTo(0));
    }

    @Test
    void noPlanGoesBeyondTheMaximumAndTheAllowance() {
        forAll((s, p) -> {
            if (p.open() > 0) {
                assertThat(s.live() + s.opening() + s.closing() + p.open())
                        .isLessThanOrEqualTo(s.targets().maxOpen() + s.allowance());
            }
            assertThat(s.overflow() + s.openingOverflow() + p.openOverflow()).isLessThanOrEqualTo(s.overflowMax());
        });
    }

    @Test
    void noPlanBeginsMoreConnectsThanMayBeUnderWay() {
        forAll((s, p) -> {
            int begun = p.open() + p.openOverflow();
            if (begun > 0) {
                assertThat(begun + s.opening() + s.openingOverflow())
                        .isLessThanOrEqualTo(s.probing() ? 1 : s.opensInFlightMax());
            }
        });
    }

    @Test
    void nothingIsOpenedWhilePausedOrDuringAPause() {
        forAll((s, p) -> {
            if (s.paused() || s.nowNanos() < s.mayOpenFromNanos()) {
                assertThat(p.open() + p.openOverflow()).isZero();
            }
        });
    }

    @Test
    void noMoreIsRetiredThanThereIs() {
        forAll((s, p) -> {
            assertThat(p.supersede() + p.makeRoom()).isLessThanOrEqualTo(s.aging());
            assertThat(p.supersede() + p.makeRoom() + p.shed()).isLessThanOrEqualTo(s.live() - s.marked());
        });
    }

    @Test
    void nothingIsShedWithinTheMaximum() {
        forAll((s, p) -> {
            if (s.live() - s.marked() <= s.targets().maxOpen()) {
                assertThat(p.shed()).isZero();
            }
        });
    }

    @Test
    void aPlanThatWasCarriedOutAsksForNothingMore() {
        forAll((s, p) -> {
            if (p.supersede() + p.makeRoom() + p.shed() == 0) {
                assertThat(isEmpty(Planner.plan(after(s, p), SCAN))).isTrue();
            }
        });
    }

    /** What retires makes room, and room is used; then nothing is left to do before something else happens. */
    @Test
    void plansCarriedOutOneAfterAnotherComeToRest() {
        forAll((s, p) -> {
            Situation situation = s;
            Plan plan = p;
            for (int i = 0; i < 3 && !isEmpty(plan); i++) {
                situation = after(situation, plan);
                plan = Planner.plan(situation, SCAN);
            }
            assertThat(isEmpty(plan)).as("%s, still %s", situation, plan).isTrue();
        });
    }

    private static boolean isEmpty(Plan plan) {
        return plan.open() + plan.openOverflow() + plan.supersede() + plan.shed() == 0;
    }

    @Test
    void fewerReadyConnectionsNeverMeanFewerConnects() {
        forAll((s, p) -> {
            if (s.ready() > 0 && s.aging() == 0 && s.live() < s.targets().maxOpen() + s.allowance()) {
                Situation fewer = new Situation(
                        s.nowNanos(),
                        s.targets(),
                        s.allowance(),
                        s.ready() - 1,
                        Math.min(s.doubtful(), s.ready() - 1),
                        s.inUse(),
                        s.marked(),
                        0,
                        s.opening(),
                        s.closing(),
                        s.waiting(),
                        s.overflow(),
                        s.openingOverflow(),
                        s.overflowMax(),
                        s.opensInFlightMax(),
                        s.mayOpenFromNanos(),
                        s.calmFromNanos(),
                        s.calmAtOnce(),
                        s.probing(),
                        s.paused());
                assertThat(Planner.plan(fewer, SCAN).open()).isGreaterThanOrEqualTo(p.open());
            }
        });
    }

    @Test
    void connectionsInUseCount() {
        forAll((s, p) -> {
            int staying = s.live() - s.marked();
            if (staying + s.opening() >= s.targets().maxOpen() && s.aging() == 0 && s.doubtful() == 0) {
                assertThat(p.open()).isZero();
            }
        });
    }

    @Test
    void temporaryConnectionsHelpWhileThoseThatCloseKeepTheirPlaces() {
        Situation closing = new Situation(
                0, Targets.of(10), 0, 0, 0, 0, 0, 0, 0, 10, 5, 0, 0, 10, 100, 0, NO_PACE, ANY, false, false);
        assertThat(Planner.plan(closing, SCAN))
                .extracting(Plan::open, Plan::openOverflow)
                .containsExactly(0, 5);
    }

    @Test
    void urgentMeansBelowTheLowWatermark() {
        forAll((s, p) -> {
            int below = s.targets().lowWatermark() - (s.live() - s.marked()) - s.opening();
            assertThat(p.urgent()).isEqualTo(Math.min(p.open(), Math.max(0, below)));
        });
    }

    @Test
    void theNextLookIsInTheFutureAndNoLaterThanTheScan() {
        forAll((s, p) -> assertThat(p.lookAgainNanos()).isBetween(s.nowNanos() + 1, s.nowNanos() + SCAN));
    }

    @Test
    void whatIsMissingIsOpenedAtOnceWhenNothingForbidsIt() {
        Targets targets = Targets.of(50);
        Situation empty =
                new Situation(0, targets, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, NO_PACE, ANY, false, false);
        assertThat(Planner.plan(empty, SCAN).open()).isEqualTo(50);
        Situation inUse =
                new Situation(0, targets, 5, 0, 0, 50, 0, 0, 0, 0, 30, 0, 0, 0, 100, 0, NO_PACE, ANY, false, false);
        assertThat(Planner.plan(inUse, SCAN).open()).isZero();
        Situation aging =
                new Situation(0, targets, 5, 20, 0, 30, 0, 10, 0, 0, 0, 0, 0, 0, 100, 0, NO_PACE, ANY, false, false);
        assertThat(Planner.plan(aging, SCAN))
                .extracting(Plan::open, Plan::supersede)
                .containsExactly(5, 0);
        Situation succeeded =
                new Situation(0, targets, 5, 25, 0, 30, 0, 10, 0, 0, 0, 0, 0, 0, 100, 0, NO_PACE, ANY, false, false);
        assertThat(Planner.plan(succeeded, SCAN))
                .extracting(Plan::open, Plan::supersede)
                .containsExactly(0, 5);
    }

    @Test
    void whatCanWaitIsSpread() {
        forAll((s, p) -> {
            int hopeful = s.ready() - s.doubtful();
            boolean enough = s.waiting() <= hopeful
                    && 2 * hopeful >= s.inUse()
                    && 2 * (s.live() - s.marked() - s.doubtful()) >= s.targets().lowWatermark();
            if (enough) {
                assertThat(p.open() - s.aging())
                        .isLessThanOrEqualTo(s.nowNanos() < s.calmFromNanos() ? 0 : s.calmAtOnce());
            }
        });
    }

    @Test
    void whatCouldWaitIsPartOfWhatIsOpened() {
        forAll((s, p) -> assertThat(p.paced()).isBetween(0, p.open()));
    }

    @Test
    void nobodyMakesRoomForOneThatIsNotDueYet() {
        Situation due =
                new Situation(80, Targets.of(50), 0, 50, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 100, 0, 70, 1, false, false);
        assertThat(Planner.plan(due, SCAN).makeRoom()).isEqualTo(1);
        Situation notDue =
                new Situation(60, Targets.of(50), 0, 50, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 100, 0, 70, 1, false, false);
        assertThat(Planner.plan(notDue, SCAN).makeRoom()).isZero();
    }

    @Test
    void theNextOfThoseThatAreSpreadIsLookedForWhenItIsDue() {
        assertThat(Planner.plan(paced(40, 0, 0, 0, 0), SCAN))
                .extracting(Plan::open, Plan::lookAgainNanos)
                .containsExactly(0, 70L);
    }

    @Test
    void whatSomebodyNeedsIsNotSpread() {
        assertThat(Planner.plan(paced(0, 0, 40, 1, 0), SCAN).open())
                .as("half as many as are in use, as far as the maximum goes")
                .isEqualTo(10);
        assertThat(Planner.plan(paced(0, 0, 10, 20, 0), SCAN).open())
                .as("two for each who waits")
                .isEqualTo(40);
        assertThat(Planner.plan(paced(6, 0, 20, 0, 0), SCAN).open())
                .as("half as many as are in use")
                .isEqualTo(4);
        assertThat(Planner.plan(paced(10, 0, 0, 0, 0), SCAN).open())
                .as("half of what is wanted")
                .isEqualTo(15);
        assertThat(Planner.plan(paced(10, 0, 0, 0, 12), SCAN).open())
                .as("less what is under way")
                .isEqualTo(3);
    }

    @Test
    void whoeverWaitsForAValidationNeedsNoConnectUnlessTheValidationIsLongInComing() {
        assertThat(Planner.plan(paced(40, 0, 5, 8, 0), SCAN).open()).isZero();
        assertThat(Planner.plan(paced(40, 38, 5, 8, 0), SCAN).open())
                .as("five are missing, and five may exist beside those that hang")
                .isEqualTo(10);
        assertThat(Planner.plan(paced(30, 30, 0, 4, 0), SCAN).open()).isEqualTo(25);
    }

    /** 50 are wanted, and the next that can wait is due later. */
    private static Situation paced(int ready, int doubtful, int inUse, int waiting, int opening) {
        return new Situation(
                0,
                Targets.of(50),
                5,
                ready,
                doubtful,
                inUse,
                0,
                0,
                opening,
                0,
                waiting,
                0,
                0,
                0,
                100,
                0,
                70,
                1,
                false,
                false);
    }
}
