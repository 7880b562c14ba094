package dev.reservoir.sim.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Samples as CSV. */
class CsvResultsTest {
    private static final String GO =
            "t_rfc3339,service,size,target,in_use,checkouts,empty_events,discards,discard_expired,discard_guard,"
                    + "discard_full,refills,refill_failures,scan_evictions,limiter_denies,work_started,work_completed,";

    private static List<String> lines(Outcome... outcomes) throws IOException {
        StringBuilder text = new StringBuilder();
        CsvResults.write(List.of(outcomes), text);
        assertThat(text.toString()).endsWith("\n").doesNotContain("\r");
        return text.toString().lines().toList();
    }

    @Test
    void theColumnsOfTheGoSimulatorComeFirst() throws IOException {
        assertThat(lines(HandMade.passing()).get(0))
                .startsWith(GO)
                .isEqualTo(GO + "scenario,pool,seed,instances,validating,opening,closing,usable,open,waiting,leases,"
                        + "timeouts,refused,conflicts,failed_work,wait_p50_us,wait_p99_us,wait_p999_us,wait_max_us,"
                        + "discards_insufficient_remaining_lifetime,discards_expired_on_checkout,"
                        + "discards_expired_on_return,discards_expired_on_scan,discards_expiring_soon_on_scan,"
                        + "discards_reservoir_full,discards_superseded,discards_bad,discards_validation_failed,"
                        + "discards_unresponsive,discards_abandoned,"
                        + "discards_idle,discards_evicted,discards_lease_recalled,discards_overflow,discards_late,"
                        + "discards_lost,discards_shutdown,"
                        + "failures_rate_limit,failures_lease_acquire,failures_token_provider,failures_connect,"
                        + "failures_connect_timeout,failures_authentication,failures_unknown_host,"
                        + "failures_unknown_database,failures_server_rate,failures_server_full");
    }

    @Test
    void everyReasonHasAColumn() throws IOException {
        String heading = lines(HandMade.passing()).get(0);

        for (DiscardReason reason : DiscardReason.values()) {
            assertThat(heading).contains(",discards_" + reason.label());
        }
        for (OpenFailureReason reason : OpenFailureReason.values()) {
            assertThat(heading).contains(",failures_" + reason.label());
        }
    }

    @Test
    void eachNumberIsInItsColumn() throws IOException {
        assertThat(lines(HandMade.passing()).get(1))
                .isEqualTo("2026-01-01T00:00:01Z,a,40,50,3,11,12,127,3,4,8,14,1100,48,16,17,18,"
                        + "calm,reservoir,7,1,4,5,6,50,8,9,10,13,15,19,20,21,22,23,24000,"
                        + "4,1,2,16,32,8,64,0,0,0,0,0,0,0,0,0,0,0,0,0,0,100,0,0,0,0,1000,0");
    }

    @Test
    void rowsComeByTimeThenService() throws IOException {
        assertThat(lines(HandMade.passing()).stream().skip(1).map(line -> line.substring(0, 23)))
                .containsExactly(
                        "2026-01-01T00:00:01Z,a,",
                        "2026-01-01T00:00:01Z,\"b",
                        "2026-01-01T00:00:02Z,a,",
                        "2026-01-01T00:00:02Z,\"b");
    }

    @Test
    void aNameWithACommaAndAQuoteIsQuoted() throws IOException {
        assertThat(lines(HandMade.passing()).get(2)).contains(",\"b, \"\"c\"\"\",40,");
    }

    @Test
    void severalOutcomesShareOneHeading() throws IOException {
        List<String> lines = lines(HandMade.passing(), HandMade.failing());

        assertThat(lines).hasSize(9);
        assertThat(lines.get(5)).contains(",storm,plain,7,");
    }

    @Test
    void whatItWritesToStaysOpenAndItsFailuresComeThrough() {
        Writer full = new Writer() {
            @Override
            public void write(char[] chars, int from, int length) throws IOException {
                throw new IOException("disk full");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {
                throw new AssertionError("closed");
            }
        };

        assertThatThrownBy(() -> CsvResults.write(HandMade.passing(), full))
                .isInstanceOf(IOException.class)
                .hasMessage("disk full");
    }
}
