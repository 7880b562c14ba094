package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import org.junit.jupiter.api.Test;

class TokensTest {
    @Test
    void theFirstConnectWaitsForTheFirstToken() {
        Seen seen = SmallScenario.of(service("a"))
                .unlimited()
                .tokens("10m", "1m", "300ms")
                .run();
        assertThat(seen.convergedAt()).isCloseTo(0.32, within(1e-9));
    }

    @Test
    void aTokenIsRenewedBeforeItEndsSoThatNoConnectWaitsForIt() {
        Seen seen = SmallScenario.of(service("a").lives("10s", "5s", "1s").even(5))
                .tokens("20s", "10s", "1s")
                .lasts("5m")
                .run();
        Sample last = seen.last("a");
        assertThat(last.openFailures()).isEmpty();
        assertThat(last.refills()).isGreaterThan(150);
        assertThat(last.emptyEvents()).isZero();
    }

    @Test
    void withoutNewTokensTheOldOneServesToItsEndAndConnectionsServeOn() {
        // Connections outlive the token, so no new token is needed.
        Seen seen = SmallScenario.of(service("a").even(50))
                .tokens("20s", "5s", "10ms")
                .lasting("5s", FaultKind.TOKEN_OUTAGE, "50s")
                .run();
        Sample last = seen.last("a");
        assertThat(last.failedWork()).isZero();
        assertThat(last.timeouts()).isZero();
        assertThat(last.usable()).isEqualTo(10);
        assertThat(last.openFailures()).isEmpty();
        assertThat(last.workCompleted()).isGreaterThan(2_900);
    }

    @Test
    void connectsThatNeedANewTokenFailWhileThereIsNone() {
        Seen seen = SmallScenario.of(
                        service("a").lives("25s", "0", "1s").even(50).waitsAtMost("1s"))
                .tokens("20s", "5s", "10ms")
                .lasting("5s", FaultKind.TOKEN_OUTAGE, "35s")
                .run();
        Sample during = seen.at("35s", "a");
        assertThat(during.openFailures()).containsOnlyKeys(OpenFailureReason.TOKEN_PROVIDER);
        assertThat(during.usable()).isZero();
        assertThat(during.timeouts()).isPositive();
        // None of the connects has reached the database.
        assertThat(seen.outcome().seconds().subList(26, 40)).allMatch(s -> s.connects() == 0);
        assertThat(seen.at("50s", "a").usable()).isEqualTo(10);
        assertThat(seen.marks("recovery")).containsExactly("the token service is back");
    }
}
