package dev.reservoir.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Better;
import dev.reservoir.bench.report.Measurement;
import dev.reservoir.bench.report.Unit;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadPartTest {

    private static Measurement of(String benchmark, String metric, PoolKind pool, double value) {
        return new Measurement(benchmark, "hold 0", metric, Unit.PER_SECOND, Better.HIGHER, pool, value);
    }

    @Test
    void aLineShowsMedianSmallestAndLargestOfTheThroughputOfContendedCasesAlone() {
        String table = SpreadPart.table(List.of(
                of("contended", "throughput", PoolKind.HIKARICP, 2e6),
                of("contended", "throughput", PoolKind.RESERVOIR, 9e6),
                of("contended", "throughput", PoolKind.RESERVOIR, 3e6),
                of("contended", "throughput", PoolKind.RESERVOIR, 5e6),
                of("contended", "smallest share of the mean", PoolKind.RESERVOIR, 1),
                of("checkout", "throughput", PoolKind.RESERVOIR, 70e6)));
        assertThat(table.lines().skip(2))
                .containsExactly(
                        "| hold 0 | Reservoir | 5.00 M/s | 3.00 M/s | 9.00 M/s | 1.00 |",
                        "| hold 0 | HikariCP | 2.00 M/s | 2.00 M/s | 2.00 M/s | 2.50 |");
    }
}
