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

    private static void forAll(BiConsumer<Situation, Planner.Plan> check) {
        for (int seed = 0; seed < SITUATIONS; seed++) {
            Situation situation = any(new SplittableRandom(seed));
            Planner.Plan plan = Planner.plan(situation, SCAN);
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
        Situation.Builder s = new Situation.Builder(targets);
        s.nowNanos = now;
        s.allowance = allowance;
        s.ready = ready;
        s.doubtful = upTo(random, random.nextBoolean() ? 0 : ready);
        s.inUse = inUse;
        s.marked = marked;
        s.aging = aging;
        s.opening = opening;
        s.closing = closing;
        s.waiting = random.nextBoolean() ? 0 : upTo(random, 20);
        s.overflow = overflow;
        s.openingOverflow = upTo(random, overflowMax - overflow);
        s.overflowMax = overflowMax;
        s.opensInFlightMax = 1 + random.nextInt(120);
        s.mayOpenFromNanos = random.nextBoolean() ? 0 : random.nextLong(1_000_000);
        s.calmFromNanos = random.nextBoolean() ? Long.MIN_VALUE : random.nextLong(1_000_000);
        s.calmAtOnce = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(5);
        s.probing = random.nextInt(4) == 0;
        s.paused = random.nextInt(8) == 0;
        return s.build();
    }

    private static Situation.Builder like(Situation s) {
        Situation.Builder copy = new Situation.Builder(s.targets());
        copy.nowNanos = s.nowNanos();
        copy.allowance = s.allowance();
        copy.ready = s.ready();
        copy.doubtful = s.doubtful();
        copy.inUse = s.inUse();
        copy.marked = s.marked();
        copy.aging = s.aging();
        copy.opening = s.opening();
        copy.closing = s.closing();
        copy.waiting = s.waiting();
        copy.overflow = s.overflow();
        copy.openingOverflow = s.openingOverflow();
        copy.overflowMax = s.overflowMax();
        copy.opensInFlightMax = s.opensInFlightMax();
        copy.mayOpenFromNanos = s.mayOpenFromNanos();
        copy.calmFromNanos = s.calmFromNanos();
        copy.calmAtOnce = s.calmAtOnce();
        copy.probing = s.probing();
        copy.paused = s.paused();
        return copy;
    }

    /** Nothing is open, five connections may exist beyond the maximum, and nothing forbids or delays a connect. */
    private static Situation.Builder empty(int maxOpen) {
        Situation.Builder s = new Situation.Builder(Targets.of(maxOpen));
        s.allowance = 5;
        s.opensInFlightMax = 100;
        s.calmFromNanos = Long.MIN_VALUE;
        s.calmAtOnce = Integer.MAX_VALUE;
        return s;
    }

    /**
     * The situation once a plan was carried out and every connect begun; retired ones were ready, so that they are
     * gone.
     */
    private static Situation after(Situation s, Planner.Plan p) {
        int retired = p.supersede() + p.shed();
        int marked = Math.max(0, retired - s.ready());
        int fromReady = Math.min(s.ready(), retired + p.makeRoom());
        Situation.Builder after = like(s);
        after.ready = s.ready() - fromReady;
        after.doubtful = Math.min(s.doubtful(), s.ready() - fromReady);
        after.marked = s.marked() + marked;
        after.aging = Math.max(
                0, Math.min(s.aging() - p.supersede() - p.makeRoom(), s.live() - fromReady - s.marked() - marked));
        after.opening = s.opening() + p.open();
        after.openingOverflow = s.openingOverflow() + p.openOverflow();
        after.calmFromNanos = p.paced() > 0 ? s.nowNanos() + 1 : s.calmFromNanos();
        return after.build();
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
            Planner.Plan plan = p;
            for (int i = 0; i < 3 && !isEmpty(plan); i++) {
                situation = after(situation, plan);
                plan = Planner.plan(situation, SCAN);
            }
            assertThat(isEmpty(plan)).as("%s, still %s", situation, plan).isTrue();
        });
    }

    private static boolean isEmpty(Planner.Plan plan) {
        return plan.open() + plan.openOverflow() + plan.supersede() + plan.shed() == 0;
    }

    @Test
    void fewerReadyConnectionsNeverMeanFewerConnects() {
        forAll((s, p) -> {
            if (s.ready() > 0 && s.aging() == 0 && s.live() < s.targets().maxOpen() + s.allowance()) {
                Situation.Builder fewer = like(s);
                fewer.ready = s.ready() - 1;
                fewer.doubtful = Math.min(s.doubtful(), s.ready() - 1);
                fewer.aging = 0;
                assertThat(Planner.plan(fewer.build(), SCAN).open()).isGreaterThanOrEqualTo(p.open());
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
        Situation.Builder closing = empty(10);
        closing.allowance = 0;
        closing.closing = 10;
        closing.waiting = 5;
        closing.overflowMax = 10;
        assertThat(Planner.plan(closing.build(), SCAN))
                .extracting(Planner.Plan::open, Planner.Plan::openOverflow)
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
        assertThat(Planner.plan(empty(50).build(), SCAN).open()).isEqualTo(50);
        Situation.Builder inUse = empty(50);
        inUse.inUse = 50;
        inUse.waiting = 30;
        assertThat(Planner.plan(inUse.build(), SCAN).open()).isZero();
        Situation.Builder aging = empty(50);
        aging.ready = 20;
        aging.inUse = 30;
        aging.aging = 10;
        assertThat(Planner.plan(aging.build(), SCAN))
                .extracting(Planner.Plan::open, Planner.Plan::supersede)
                .containsExactly(5, 0);
        Situation.Builder succeeded = empty(50);
        succeeded.ready = 25;
        succeeded.inUse = 30;
        succeeded.aging = 10;
        assertThat(Planner.plan(succeeded.build(), SCAN))
                .extracting(Planner.Plan::open, Planner.Plan::supersede)
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
        Situation.Builder s = empty(50);
        s.allowance = 0;
        s.ready = 50;
        s.aging = 8;
        s.calmFromNanos = 70;
        s.calmAtOnce = 1;
        s.nowNanos = 80;
        assertThat(Planner.plan(s.build(), SCAN).makeRoom()).as("due").isEqualTo(1);
        s.nowNanos = 60;
        assertThat(Planner.plan(s.build(), SCAN).makeRoom()).as("not due yet").isZero();
    }

    @Test
    void theNextOfThoseThatAreSpreadIsLookedForWhenItIsDue() {
        assertThat(Planner.plan(paced(40, 0, 0, 0, 0), SCAN))
                .extracting(Planner.Plan::open, Planner.Plan::lookAgainNanos)
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
        Situation.Builder s = empty(50);
        s.ready = ready;
        s.doubtful = doubtful;
        s.inUse = inUse;
        s.waiting = waiting;
        s.opening = opening;
        s.calmFromNanos = 70;
        s.calmAtOnce = 1;
        return s.build();
    }
}
