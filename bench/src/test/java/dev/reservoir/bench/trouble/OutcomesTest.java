package dev.reservoir.bench.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutcomesTest {

    private final Outcomes outcomes = new Outcomes();

    @Test
    void requestsThatFailedAndRequestsWithoutAnAnswerAreLost() {
        outcomes.begin(100).end(110, false);
        outcomes.begin(100).end(110, true);
        outcomes.begin(100);
        assertThat(outcomes.lost(100)).isEqualTo(2);
        assertThat(outcomes.unanswered()).isEqualTo(1);
        assertThat(outcomes.served(100)).isEqualTo(1);
    }

    @Test
    void whatEndedBeforeTheTroubleDoesNotCount() {
        outcomes.begin(10).end(20, false);
        outcomes.begin(10).end(20, true);
        assertThat(outcomes.lost(21)).isZero();
        assertThat(outcomes.served(21)).isZero();
        assertThat(outcomes.nanosToFirstServed(21, 21)).isInfinite();
    }

    @Test
    void aRequestThatWasUnderWayWhenTheTroubleBeganIsNotOneThatBeganAfterIt() {
        outcomes.begin(99).end(105, false);
        outcomes.begin(100).end(106, false);
        outcomes.begin(101).end(200, false);
        assertThat(outcomes.lost(100)).isEqualTo(3);
        assertThat(outcomes.failedBetween(100, 150)).isEqualTo(1);
    }

    @Test
    void theFirstServedIsTheFirstThatWasNotOnItsWayAlready() {
        outcomes.begin(90).end(101, true);
        outcomes.begin(95).end(170, true);
        outcomes.begin(100).end(150, false);
        assertThat(outcomes.nanosToFirstServed(100, 110)).isEqualTo(70);
    }

    @Test
    void theLongestRequestIsUnknownWhileOneHasNoAnswer() {
        outcomes.begin(100).end(130, false);
        outcomes.begin(100).end(120, true);
        assertThat(outcomes.longestNanos(100)).isEqualTo(30);
        assertThat(outcomes.latency(100).count()).isEqualTo(2);
        outcomes.begin(100);
        assertThat(outcomes.longestNanos(100)).isInfinite();
    }
}
