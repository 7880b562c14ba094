package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.SmallService;
import dev.reservoir.sim.result.Sample;
import org.junit.jupiter.api.Test;

class DropTest {
    private static Seen dropped(SmallService service) {
        return SmallScenario.of(service)
                .drop("10s", 0.5)
                .sampledEvery("100ms")
                .promisesKept()
                .run();
    }

    @Test
    void theFirstUserWhoMeetsABrokenConnectionHasAllOthersValidated() {
        Seen seen = dropped(service("a").target(20).even(100).holds("5ms"));
        assertThat(seen.at("10s", "a").open()).isEqualTo(10);
        Sample soon = seen.at("10.5s", "a");
        // The connections in use at that moment, and one that was acquired before the others were validated.
        assertThat(soon.failedWork()).isBetween(1L, 2L);
        assertThat(soon.discards(DiscardReason.BAD)).isEqualTo(soon.failedWork());
        assertThat(soon.discards(DiscardReason.VALIDATION_FAILED)).isEqualTo(10 - soon.failedWork());
        assertThat(soon.usable()).isEqualTo(20);
        assertThat(seen.last("a").failedWork()).isEqualTo(soon.failedWork());
        assertThat(seen.marks("fault")).containsExactly("the database drops 10 connections");
    }

    @Test
    void withoutWorkItIsNoticedByTheValidationOfOneASecond() {
        Seen seen = dropped(service("a").target(20));
        assertThat(seen.at("10s", "a").usable()).isEqualTo(10);
        // Half of the connections work, so at the latest the eleventh validation finds a broken one.
        Sample late = seen.at("25s", "a");
        assertThat(late.discards(DiscardReason.VALIDATION_FAILED)).isEqualTo(10);
        assertThat(late.usable()).isEqualTo(20);
        assertThat(late.failedWork()).isZero();
    }

    @Test
    void ifAllAreDroppedItIsNoticedWithinTwoSecondsWithoutWork() {
        Seen seen = SmallScenario.of(service("a").target(20)).drop("10s", 1).run();
        assertThat(seen.at("10s", "a").open()).isZero();
        assertThat(seen.at("12s", "a").discards(DiscardReason.VALIDATION_FAILED))
                .isEqualTo(20);
        assertThat(seen.last("a").usable()).isEqualTo(20);
    }

    @Test
    void hitsOnlyTheServicesThatItNames() {
        Seen seen =
                SmallScenario.of(service("a"), service("b")).drop("10s", 1, "b").run();
        assertThat(seen.at("10s", "a").open()).isEqualTo(10);
        assertThat(seen.at("10s", "b").open()).isZero();
    }

    @Test
    void theSmallestUsableShareIsThatAtTheDrop() {
        SmallScenario scenario =
                SmallScenario.of(service("a").target(20).even(100)).drop("10s", 0.25);
        scenario.expected.minUsableShare = 0.75;
        assertThat(scenario.run().verdict("assertMinUsableShare").found()).isEqualTo("75.0 %, a at 10.00 s");
    }

    @Test
    void thePlainPoolFindsThemWhenItHandsOutThem() {
        Seen seen = SmallScenario.of(service("a").target(20).even(2))
                .drop("10s", 0.5)
                .run(PoolKind.PLAIN);
        Sample last = seen.last("a");
        // The pool validates a connection before a checkout unless it was used just before.
        assertThat(last.failedWork()).isZero();
        assertThat(last.discards(DiscardReason.VALIDATION_FAILED)).isEqualTo(10);
        assertThat(last.usable()).isEqualTo(20);
    }

    @Test
    void theGoReservoirFindsThemOneByOneInUse() {
        Seen seen = SmallScenario.of(service("a").target(20).even(20))
                .drop("10s", 0.5)
                .run(PoolKind.GO_RESERVOIR);
        assertThat(seen.last("a").failedWork()).isEqualTo(10);
        assertThat(seen.last("a").usable()).isEqualTo(20);
    }
}
