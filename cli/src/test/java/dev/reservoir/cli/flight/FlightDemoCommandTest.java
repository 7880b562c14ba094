package dev.reservoir.cli.flight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cli.Shell;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code reservoir flight-demo}. */
class FlightDemoCommandTest {

    /** A session is busy for 50 ms with each query, so four of them are faster than one on any machine. */
    @Test
    void aPoolHasSeveralTimesTheThroughputOfOneClient() {
        Shell shell = Shell.piped();
        int code = shell.run("flight-demo", "--connections", "4", "--queries", "40", "--query-time", "50ms");
        assertThat(code).as(shell.err()).isZero();
        assertThat(shell.out())
                .contains("4 threads, 40 queries of 50 ms each way:")
                .contains("one shared FlightSqlClient", "Reservoir, 4 connections", "The pool has 4 sessions");
        Matcher ratio = Pattern.compile("([0-9.]+) times the throughput").matcher(shell.out());
        assertThat(ratio.find()).as(shell.out()).isTrue();
        assertThat(Double.parseDouble(ratio.group(1))).isGreaterThan(1.5);
    }

    @Test
    void aLoadSendsEveryQueryOnce() throws Exception {
        AtomicInteger sent = new AtomicInteger();
        QueryLoad.Result result = new QueryLoad(3, 10, Duration.ofMillis(7)).run(sql -> {
            assertThat(sql).contains("wait 7 ms");
            sent.incrementAndGet();
        });
        assertThat(sent).hasValue(10);
        assertThat(result.sortedNanos()).hasSize(10);
    }

    @Test
    void percentilesAreThoseOfTheSortedTimes() {
        QueryLoad.Result result = new QueryLoad.Result(2_000_000_000L, List.of(1L, 2L, 3L, 4L));
        assertThat(result.perSecond()).isEqualTo(2);
        assertThat(result.percentileNanos(0.5)).isEqualTo(2);
        assertThat(result.percentileNanos(0.99)).isEqualTo(4);
    }
}
