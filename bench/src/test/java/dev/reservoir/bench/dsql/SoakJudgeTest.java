package dev.reservoir.bench.dsql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.bench.dsql.SoakJudge.Drop;
import dev.reservoir.bench.dsql.SoakJudge.Evidence;
import dev.reservoir.bench.dsql.SoakJudge.Failure;
import java.util.List;
import org.junit.jupiter.api.Test;

class SoakJudgeTest {
    private static final List<Drop> DROPS = List.of(new Drop(10_000, 10_020));
    private static final SoakState GOOD = SoakState.of("S 1000 0 1000 10 500000 3000000 5 7000000 90000000 120000000");

    private static Failure failure(long inUse, long failed, String kind) {
        return Failure.of("soak-1", "F " + inUse + " " + failed + " " + kind + " it broke");
    }

    private static Evidence evidence(List<Failure> failures, SoakState sum, String... leases) {
        return new Evidence(failures, DROPS, 0, 0, 0, sum, List.of(leases));
    }

    @Test
    void aRequestWhoseConnectionWasInUseAtADropIsCut() {
        assertThat(SoakJudge.isCut(failure(9_990, 10_005, "connection"), DROPS)).isTrue();
        assertThat(SoakJudge.broken(evidence(List.of(failure(9_990, 10_005, "connection")), GOOD)))
                .isEmpty();
    }

    @Test
    void aRequestThatGotADeadConnectionLaterIsNot() {
        assertThat(SoakJudge.isCut(failure(10_500, 10_501, "connection"), DROPS))
                .isFalse();
        assertThat(SoakJudge.broken(evidence(List.of(failure(10_500, 10_501, "connection")), GOOD)))
                .singleElement()
                .asString()
                .startsWith("1 requests failed that were not cut");
    }

    @Test
    void aRequestThatFailedBeforeTheDropOrOtherwiseOrWithoutAConnectionIsNot() {
        assertThat(SoakJudge.isCut(failure(9_000, 9_999, "connection"), DROPS)).isFalse();
        assertThat(SoakJudge.isCut(failure(9_990, 10_005, "permanent"), DROPS)).isFalse();
        assertThat(SoakJudge.isCut(failure(0, 10_005, "connection"), DROPS)).isFalse();
    }

    @Test
    void everyOtherBrokenPromiseIsNamed() {
        SoakState slow = GOOD.plus(SoakState.of("S 0 0 0 11 0 0 0 0 0 0"));
        Evidence evidence = new Evidence(List.of(), DROPS, 2, 3, 4, slow, List.of("7 leases are left over"));
        assertThat(SoakJudge.broken(evidence))
                .containsExactly(
                        "2 connects were refused within what was promised",
                        "3 tokens were refused while good ones were taken",
                        "4 connections were closed by the server for their age",
                        "checkout p99 is above 1 ms: 21 of 1000 took longer",
                        "7 leases are left over");
    }

    @Test
    void aFleetThatDidNothingKeptNoPromise() {
        assertThat(SoakJudge.broken(evidence(List.of(), SoakState.NONE))).containsExactly("nothing was checked out");
    }
}
