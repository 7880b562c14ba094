package dev.reservoir.bench.rationed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TokenBucketTest {

    private static final long START_NANOS = -5_000_000_000L;

    private final TokenBucket bucket = new TokenBucket(100, 10, START_NANOS);

    @Test
    void startsFullAndRefusesBeyondItsBurst() {
        for (int i = 0; i < 10; i++) {
            assertThat(bucket.tryTake(START_NANOS)).as("token %d", i).isTrue();
        }
        assertThat(bucket.tryTake(START_NANOS)).isFalse();
    }

    @Test
    void refillsOneTokenInEachHundredthOfASecond() {
        takeAllAt(START_NANOS);
        assertThat(bucket.tryTake(at(9))).isFalse();
        assertThat(bucket.tryTake(at(10))).isTrue();
        assertThat(bucket.tryTake(at(10))).isFalse();
    }

    @Test
    void aRefusalCostsNothing() {
        takeAllAt(START_NANOS);
        for (int millis = 0; millis < 10; millis++) {
            assertThat(bucket.tryTake(at(millis))).isFalse();
        }
        assertThat(bucket.tryTake(at(10))).isTrue();
    }

    @Test
    void neverHoldsMoreThanItsBurst() {
        takeAllAt(START_NANOS);
        assertThat(bucket.available(at(TimeUnit.DAYS.toMillis(10_000)))).isEqualTo(10);
    }

    @Test
    void grantsTheRateAndTheBurstOverAMinuteOfConstantAsking() {
        long granted = LongStream.rangeClosed(0, 60_000)
                .filter(millis -> bucket.tryTake(at(millis)))
                .count();
        assertThat(granted).isEqualTo(10 + 60 * 100);
    }

    @Test
    void aClockThatGoesBackGivesNothing() {
        takeAllAt(at(50));
        assertThat(bucket.tryTake(at(0))).isFalse();
        assertThat(bucket.tryTake(at(59))).isFalse();
        assertThat(bucket.tryTake(at(60))).isTrue();
    }

    @Test
    void namesTheSettingItRejects() {
        assertThatThrownBy(() -> new TokenBucket(0, 10, 0)).hasMessageContaining("ratePerSecond = 0");
        assertThatThrownBy(() -> new TokenBucket(100, 0, 0)).hasMessageContaining("burst = 0");
    }

    private void takeAllAt(long nowNanos) {
        for (int i = 0; i < 10; i++) {
            assertThat(bucket.tryTake(nowNanos)).isTrue();
        }
    }

    private static long at(long millis) {
        return START_NANOS + TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
