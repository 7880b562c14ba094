package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The bucket grants its burst at once and its rate in the long run, and never more. */
class TokenBucketTest {
    private static final long START_NANOS = -5_000_000_000L;

    private final TokenBucket bucket = new TokenBucket(100, 10, START_NANOS);

    private static long at(long millis) {
        return START_NANOS + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void takeAllAt(long nowNanos) {
        assertThat(bucket.tryTake(10, nowNanos)).isTrue();
    }

    @Test
    void itIsFullAtFirstAndRefusesBeyondItsBurst() {
        for (int i = 0; i < 10; i++) {
            assertThat(bucket.tryTake(START_NANOS)).as("token %d", i).isTrue();
        }
        assertThat(bucket.tryTake(START_NANOS)).isFalse();
    }

    @Test
    void aTokenComesInEachHundredthOfASecondAndARefusalCostsNothing() {
        takeAllAt(START_NANOS);
        assertThat(bucket.tryTake(at(9))).isFalse();
        assertThat(bucket.nanosUntil(1)).isEqualTo(1_000_000);
        assertThat(bucket.tryTake(at(10))).isTrue();
        assertThat(bucket.tryTake(at(10))).isFalse();
    }

    @Test
    void itNeverHoldsMoreThanItsBurst() {
        takeAllAt(START_NANOS);
        assertThat(bucket.available(at(TimeUnit.DAYS.toMillis(10_000)))).isEqualTo(10);
        bucket.putBack(5);
        assertThat(bucket.available(at(TimeUnit.DAYS.toMillis(10_000)))).isEqualTo(10);
        assertThat(bucket.nanosUntil(10)).isZero();
    }

    @Test
    void itGrantsTheBurstAndTheRateOverAMinute() {
        long granted = LongStream.rangeClosed(0, 60_000)
                .filter(millis -> bucket.tryTake(at(millis)))
                .count();
        assertThat(granted).isCloseTo(10 + 60 * 100, within(1L)).isLessThanOrEqualTo(10 + 60 * 100);
    }

    @Test
    void aClockThatGoesBackRefillsNothing() {
        takeAllAt(at(50));
        assertThat(bucket.tryTake(at(0))).isFalse();
        assertThat(bucket.tryTake(at(59))).isFalse();
        assertThat(bucket.tryTake(at(60))).isTrue();
    }

    @Test
    void tokensThatFindNoRoomAreLostAndThoseThatAreThereStay() {
        bucket.refill(at(10), 3);
        assertThat(bucket.available(at(10))).isEqualTo(10);
        takeAllAt(at(10));
        bucket.refill(at(1_000), 3);
        assertThat(bucket.available(at(1_000))).isEqualTo(3);
    }

    @Test
    void itNamesTheNumberThatItRejects() {
        assertThatThrownBy(() -> new TokenBucket(0, 10, 0)).hasMessage("ratePerSecond is 0.0; allowed: more than 0");
        assertThatThrownBy(() -> new TokenBucket(100, Double.NaN, 0)).hasMessage("burst is NaN; allowed: more than 0");
    }
}
