package dev.reservoir.core;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The engine in thousands of random worlds on virtual time, with faults, each step checked against the promises. A
 * failure prints its seed; {@code -Dreservoir.schedule.seed} replays it alone, {@code -Dreservoir.schedules} sets how
 * many are tried, {@code -Dreservoir.schedules.from} from which seed on.
 */
@Tag("exhaustive")
class RandomSchedulesTest {
    private static final int SCHEDULES = Integer.getInteger("reservoir.schedules", 10_000);
    private static final long FROM = Long.getLong("reservoir.schedules.from", 1L);

    @Test
    void noScheduleBreaksAPromise() {
        Long only = Long.getLong("reservoir.schedule.seed");
        if (only != null) {
            run(only);
            return;
        }
        for (long seed = FROM; seed < FROM + SCHEDULES; seed++) {
            run(seed);
        }
    }

    private static void run(long seed) {
        Schedule schedule = new Schedule(seed);
        try {
            schedule.run(30 + new SplittableRandom(seed).nextInt(170));
        } catch (RuntimeException | Error e) {
            throw new AssertionError(
                    "seed " + seed + " (replay with -Dreservoir.schedule.seed=" + seed + "): " + e.getMessage()
                            + "\nwhat was done:\n" + schedule.trace(),
                    e);
        }
    }
}
