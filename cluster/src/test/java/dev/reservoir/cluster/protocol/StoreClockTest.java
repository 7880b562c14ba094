package dev.reservoir.cluster.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StoreClockTest {
    private static final long BEGIN_SECONDS = 1_700_000_000L;
    private static final long MILLI = 1_000_000L;

    private final VirtualTime time = new VirtualTime();
    private long wallOffNanos;
    private long storeOffNanos;
    private final StoreClock clock = new StoreClock(
            time,
            () -> Instant.ofEpochSecond(BEGIN_SECONDS, time.nanos() + wallOffNanos),
            ClusterSettings.builder("cluster.example").build());

    private long trueMicros() {
        return BEGIN_SECONDS * 1_000_000 + (time.nanos() + storeOffNanos) / 1_000;
    }

    /** A call to the store that takes so long, of which this part is the way there. */
    private void call(long tripNanos, double there) {
        long sent = time.nanos();
        time.advance((long) (tripNanos * there));
        long seconds = Math.floorDiv(trueMicros(), 1_000_000L);
        time.advance(tripNanos - (long) (tripNanos * there));
        clock.answered(seconds, sent, time.nanos());
    }

    private void assertBoundsHold() {
        assertThat(clock.earliestMicros()).isLessThanOrEqualTo(trueMicros());
        assertThat(clock.latestMicros()).isGreaterThanOrEqualTo(trueMicros());
    }

    @Test
    void aClockThatAgreesIsBelieved() {
        call(10 * MILLI, 0.5);
        assertThat(clock.latestMicros() - clock.earliestMicros()).isLessThanOrEqualTo(50_000);
        assertThat(clock.offNanos()).isZero();
        assertBoundsHold();
    }

    @Test
    void aClockThatDoesNotIsNotAndTheStoresTimeIsKnownBetterWithEveryAnswer() {
        wallOffNanos = Duration.ofMinutes(7).toNanos();
        call(10 * MILLI, 0.5);
        assertThat(clock.latestMicros() - clock.earliestMicros()).isBetween(900_000L, 1_020_000L);
        assertThat(clock.offNanos())
                .isBetween(
                        Duration.ofSeconds(419).toNanos(),
                        Duration.ofSeconds(420).toNanos());
        assertBoundsHold();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100; i++) {
            time.advance(random.nextLong(1_000 * MILLI));
            call(5 * MILLI + random.nextLong(10 * MILLI), random.nextDouble());
            assertBoundsHold();
        }
        assertThat(clock.latestMicros() - clock.earliestMicros()).isLessThan(100_000);
    }

    @Test
    void aClockThatIsSetWhileNobodyAsksChangesNothing() {
        call(10 * MILLI, 0.5);
        long before = clock.earliestMicros();
        wallOffNanos = -Duration.ofHours(1).toNanos();
        assertThat(clock.earliestMicros()).isEqualTo(before);
        call(10 * MILLI, 0.5);
        assertBoundsHold();
        assertThat(clock.offNanos()).isLessThan(-Duration.ofMinutes(59).toNanos());
    }

    @Test
    void aStoreWhoseClockIsSetIsBelieved() {
        call(10 * MILLI, 0.5);
        storeOffNanos = Duration.ofSeconds(90).toNanos();
        call(10 * MILLI, 0.5);
        assertBoundsHold();
        storeOffNanos = -Duration.ofSeconds(90).toNanos();
        call(10 * MILLI, 0.5);
        assertBoundsHold();
    }

    @Test
    void aStoreThatSaysNoTimeLeavesTheOwn() {
        clock.answered(-1, time.nanos(), time.nanos());
        assertThat(clock.isKnown()).isFalse();
        assertThat(clock.earliestMicros()).isEqualTo(trueMicros());
        assertThat(clock.offNanos()).isZero();
    }

    @Test
    void theBoundsHoldWhateverTheClocksDo() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            wallOffNanos = random.nextBoolean() ? 0 : random.nextLong(-600_000, 600_000) * MILLI;
            for (int i = 0; i < 30; i++) {
                call(random.nextLong(1, 2_000) * MILLI, random.nextDouble());
                // Between 0 and this, a clock that is off by less than a second may not be found out yet.
                if (Math.abs(wallOffNanos) > 2_000 * MILLI || wallOffNanos == 0) {
                    assertBoundsHold();
                }
                time.advance(random.nextLong(20_000) * MILLI);
                if (random.nextInt(10) == 0) {
                    wallOffNanos = random.nextBoolean() ? 0 : random.nextLong(-600_000, 600_000) * MILLI;
                }
            }
        }
    }
}
