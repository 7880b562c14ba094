package dev.reservoir.core.internal.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** When successors are due, for random ends, leads and spacings. A failure prints its seed. */
class SuccessionPropertyTest {
    private static final int CASES = 20_000;

    private static final class Case {
        private final long[] ends;
        private final long[] notBefore;
        private final long now;
        private final long lead;
        private final long spacing;

        Case(long[] ends, long[] notBefore, long now, long lead, long spacing) {
            this.ends = ends;
            this.notBefore = notBefore;
            this.now = now;
            this.lead = lead;
            this.spacing = spacing;
        }

        @Override
        public String toString() {
            return Arrays.toString(ends) + " at " + now + ", lead " + lead + ", spacing " + spacing;
        }

        static Case any(long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            int count = random.nextInt(random.nextBoolean() ? 4 : 60);
            long[] ends = random.longs(count, 1_000, random.nextBoolean() ? 1_001 : 100_000)
                    .sorted()
                    .toArray();
            long[] notBefore = new long[count];
            boolean bounded = random.nextBoolean();
            for (int i = 0; i < count; i++) {
                notBefore[i] = bounded ? ends[i] / 2 : Long.MIN_VALUE;
            }
            return new Case(ends, notBefore, random.nextLong(120_000), random.nextLong(5_000), random.nextLong(2_000));
        }

        int aging() {
            return agingAt(now, spacing);
        }

        int agingAt(long when, long every) {
            return Succession.aging(ends.clone(), notBefore, ends.length, when, lead, every);
        }

        /** The latest start of each one's successor, by the definition: early enough for itself and all after it. */
        long startOf(int i) {
            long start = Long.MAX_VALUE;
            for (int j = i; j < ends.length; j++) {
                start = Math.min(start, ends[j] - lead - (j - i) * spacing);
            }
            return Math.max(start, notBefore[i]);
        }
    }

    private interface Check {
        void accept(Case given);
    }

    private static void forAll(Check check) {
        for (long seed = 0; seed < CASES; seed++) {
            Case given = Case.any(seed);
            try {
                check.accept(given);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + given, e);
            }
        }
    }

    @Test
    void itIsWhatTheDefinitionSays() {
        forAll(given -> {
            int due = 0;
            while (due < given.ends.length && given.startOf(due) <= given.now) {
                due++;
            }
            assertThat(given.aging()).isEqualTo(due);
        });
    }

    @Test
    void moreTimeNeverMakesFewerDue() {
        forAll(given ->
                assertThat(given.agingAt(given.now + 500, given.spacing)).isGreaterThanOrEqualTo(given.aging()));
    }

    @Test
    void aLowerRateNeverMakesFewerDue() {
        forAll(given -> {
            if (given.notBefore.length > 0 && given.notBefore[0] == Long.MIN_VALUE) {
                assertThat(given.agingAt(given.now, given.spacing + 300)).isGreaterThanOrEqualTo(given.aging());
            }
        });
    }

    @Test
    void whoeverIsWithinTheLeadOfItsEndIsDue() {
        forAll(given -> {
            int due = given.aging();
            for (int i = 0; i < given.ends.length; i++) {
                if (given.ends[i] - given.lead <= given.now && given.notBefore[i] == Long.MIN_VALUE) {
                    assertThat(due).isGreaterThan(i);
                }
            }
        });
    }

    /** Opening one successor for each due one, a spacing apart, none comes after its predecessor's end. */
    @Test
    void followedFromTheBeginningNoSuccessorIsLate() {
        forAll(given -> {
            if (given.notBefore.length == 0 || given.notBefore[0] != Long.MIN_VALUE) {
                return;
            }
            long at = Long.MIN_VALUE;
            for (int i = 0; i < given.ends.length; i++) {
                long start = given.startOf(i);
                at = at == Long.MIN_VALUE ? start : Math.max(start, at + given.spacing);
                assertThat(at).isLessThanOrEqualTo(given.ends[i] - given.lead);
            }
        });
    }

    @Test
    void anAbsurdlyLowRateOverflowsNothing() {
        long[] ends = new long[1_000];
        Arrays.fill(ends, 1_000_000L);
        long[] notBefore = new long[1_000];
        Arrays.fill(notBefore, 500_000L);
        assertThat(Succession.aging(ends.clone(), notBefore, 1_000, 400_000L, 10, Long.MAX_VALUE / 2))
                .isZero();
        assertThat(Succession.aging(ends.clone(), notBefore, 1_000, 600_000L, 10, Long.MAX_VALUE / 2))
                .isGreaterThanOrEqualTo(999);
    }
}
