package dev.reservoir.core.internal.opening;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.OpenFailureReason;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Pauses after failures: each reason by itself, doubling, with jitter over the upper half, forgotten after a success.
 */
class BackoffTest {
    private static final long BASE = 100;
    private static final long MAX = 3_000;

    private static Backoff backoff(long seed) {
        return new Backoff(BASE, MAX, new SplittableRandom(seed));
    }

    @Test
    void everyPauseLiesInTheUpperHalfOfItsStep() {
        for (int seed = 0; seed < 500; seed++) {
            Backoff backoff = backoff(seed);
            long now = 1_000;
            for (int i = 0; i < 80; i++) {
                assertThat(backoff.failed(OpenFailureReason.CONNECT, now, now, false))
                        .isEqualTo(i + 1);
                long step = Math.min(MAX, BASE << Math.min(i, 30));
                assertThat(backoff.untilNanos(false) - now).as("seed %d", seed).isBetween(step / 2, step);
                now = backoff.untilNanos(false) + 1;
            }
        }
    }

    @Test
    void whatWasUnderWayTogetherFailsTogether() {
        Backoff backoff = backoff(1);
        backoff.failed(OpenFailureReason.CONNECT, 0, 1_000, false);
        long until = backoff.untilNanos(false);
        for (int i = 0; i < 50; i++) {
            assertThat(backoff.failed(OpenFailureReason.CONNECT, 999 - i, 1_001 + i, false))
                    .isEqualTo(1);
        }
        assertThat(backoff.untilNanos(false)).isEqualTo(until);
        assertThat(backoff.failed(OpenFailureReason.CONNECT, until, until + 1, false))
                .isEqualTo(2);
    }

    @Test
    void eachReasonCountsByItselfAndTheLongestPauseHolds() {
        Backoff backoff = backoff(2);
        for (int i = 0; i < 6; i++) {
            backoff.failed(OpenFailureReason.CONNECT, 1_000 + i, 1_000 + i, false);
        }
        long until = backoff.untilNanos(false);
        assertThat(backoff.failed(OpenFailureReason.LEASE_ACQUIRE, 1_010, 1_010, false))
                .isEqualTo(1);
        assertThat(backoff.untilNanos(false)).isEqualTo(until);
    }

    @Test
    void aSuccessForgetsWhatLiesBehindIt() {
        Backoff backoff = backoff(3);
        backoff.failed(OpenFailureReason.LEASE_ACQUIRE, 1, 1, false);
        backoff.failed(OpenFailureReason.RATE_LIMIT, 1, 1, false);
        backoff.failed(OpenFailureReason.CONNECT, 1, 1, false);
        backoff.leased(2);
        backoff.permitted(2);
        assertThat(backoff.isProbing()).isTrue();
        backoff.opened(2);
        assertThat(backoff.isProbing()).isFalse();
        assertThat(backoff.untilNanos(false)).isZero();
        assertThat(backoff.failed(OpenFailureReason.CONNECT, 5, 5, false)).isEqualTo(1);
    }

    @Test
    void aSuccessThatWasUnderWayWhenOthersFailedValidationsNothing() {
        Backoff backoff = backoff(5);
        backoff.failed(OpenFailureReason.LEASE_ACQUIRE, 1, 10, false);
        backoff.failed(OpenFailureReason.SERVER_RATE, 1, 10, false);
        long until = backoff.untilNanos(false);
        backoff.leased(9);
        backoff.opened(9);
        assertThat(backoff.inARow(OpenFailureReason.LEASE_ACQUIRE)).isEqualTo(1);
        assertThat(backoff.inARow(OpenFailureReason.SERVER_RATE)).isEqualTo(1);
        assertThat(backoff.untilNanos(false)).isEqualTo(until);
    }

    @Test
    void aServerThatSaidItIsTooMuchIsAskedOneByOneAtFirst() {
        Backoff backoff = backoff(6);
        assertThat(backoff.opensAtOnce(100)).isEqualTo(100);
        backoff.failed(OpenFailureReason.CONNECT, 1, 10, false);
        assertThat(backoff.opensAtOnce(100)).isEqualTo(100);

        backoff.failed(OpenFailureReason.SERVER_RATE, 1, 10, false);
        assertThat(backoff.opensAtOnce(100)).isEqualTo(1);
        backoff.opened(9);
        assertThat(backoff.opensAtOnce(100)).as("was under way before").isEqualTo(1);
        for (int i = 1; i <= 98; i++) {
            backoff.opened(10 + i);
            assertThat(backoff.opensAtOnce(100)).isEqualTo(1 + i);
        }
        backoff.failed(OpenFailureReason.SERVER_FULL, 200, 200, false);
        assertThat(backoff.opensAtOnce(100)).isEqualTo(1);
    }

    @Test
    void aMaximumBelowTheDoublingsIsNeverExceeded() {
        Backoff backoff = new Backoff(Long.MAX_VALUE / 8, Long.MAX_VALUE / 4, new SplittableRandom(4));
        for (int i = 0; i < 40; i++) {
            backoff.failed(OpenFailureReason.CONNECT, i, i, false);
            assertThat(backoff.untilNanos(false)).isBetween(0L, Long.MAX_VALUE / 2);
        }
    }

    @Test
    void whileCallersWaitForAServerThatIsAwayPausesAreShortAndDoNotGrow() {
        Backoff backoff = backoff(7);
        long now = 0;
        for (int i = 0; i < 50; i++) {
            backoff.failed(OpenFailureReason.CONNECT, now, now, true);
            assertThat(backoff.untilNanos(true) - now).isBetween(1L, Backoff.WAITED_FOR_NANOS);
            now = backoff.untilNanos(true);
        }
        backoff.failed(OpenFailureReason.CONNECT, now, now, false);
        assertThat(backoff.untilNanos(false) - now)
                .as("the first pause that counts")
                .isLessThanOrEqualTo(BASE);
    }

    @Test
    void aCallerThatComesDuringALongPauseEndsIt() {
        Backoff backoff = backoff(8);
        long now = 0;
        for (int i = 0; i < 20; i++) {
            now = backoff.untilNanos(false);
            backoff.failed(OpenFailureReason.CONNECT_TIMEOUT, now, now, false);
        }
        assertThat(backoff.untilNanos(false) - now).isGreaterThanOrEqualTo(MAX / 2);
        assertThat(backoff.untilNanos(true) - now).isLessThanOrEqualTo(Backoff.WAITED_FOR_NANOS);
    }

    @Test
    void aServerThatSaysNoIsNotAskedMoreOftenBecauseCallersWait() {
        for (OpenFailureReason reason : OpenFailureReason.values()) {
            if (reason == OpenFailureReason.CONNECT || reason == OpenFailureReason.CONNECT_TIMEOUT) {
                continue;
            }
            Backoff backoff = backoff(9);
            for (int i = 0; i < 10; i++) {
                long now = backoff.untilNanos(true);
                backoff.failed(reason, now, now, true);
            }
            assertThat(backoff.untilNanos(true)).as("%s", reason).isEqualTo(backoff.untilNanos(false));
        }
    }
}
