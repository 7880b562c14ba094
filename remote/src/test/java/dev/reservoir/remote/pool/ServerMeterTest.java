package dev.reservoir.remote.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The sums of a server's measurements never fall. */
class ServerMeterTest {
    private static final long SECOND = 1_000_000_000;

    private final ServerMeter meter = new ServerMeter();

    private long sumNanos(long acquires) {
        return meter.report("pg", acquires).acquireTime().sumNanos();
    }

    @Test
    void theSumOfAcquireTimesDoesNotFallWhenFastAcquiresFollowSlowOnes() {
        meter.acquiredReady(SECOND, 1);
        long last = sumNanos(1_000);
        for (int i = 1; i <= 100; i++) {
            meter.acquiredReady(1, i < 64 ? 1 : 64);
            assertThat(sumNanos(1_000 + i)).isGreaterThanOrEqualTo(last);
            last = sumNanos(1_000 + i);
        }
        assertThat(last).isEqualTo(SECOND + 63 + 37 * 64);
    }

    @Test
    void acquiresThatWaitedCountOnce() {
        meter.acquiredAfter(SECOND);
        meter.acquiredReady(SECOND, 64);
        assertThat(sumNanos(65)).isEqualTo(65 * SECOND);
    }
}
