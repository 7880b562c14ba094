package dev.reservoir.sim.result;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Writes samples as CSV: one row for each service at each sample time, by time. The columns of the Go simulator come
 * first, in its order and with its meaning. The columns of Reservoir follow. Counters run from the beginning; waits are
 * in microseconds.
 */
public final class CsvResults {
    /** The start of simulated time in the output. */
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private static final Map<String, Column> COLUMNS = columns();

    private CsvResults() {}

    @FunctionalInterface
    private interface Column {
        String of(Outcome outcome, Sample sample);
    }

    /** Writes one outcome. Does not close {@code to}. */
    public static void write(Outcome outcome, Appendable to) throws IOException {
        write(List.of(outcome), to);
    }

    /**
     * Writes several outcomes one after the other under one header. The columns scenario, pool and seed tell them
     * apart.
     */
    public static void write(List<Outcome> outcomes, Appendable to) throws IOException {
        try (CsvWriter csv = csv(to)) {
            csv.writeRecord(COLUMNS.keySet());
            Column[] columns = COLUMNS.values().toArray(Column[]::new);
            for (Outcome outcome : outcomes) {
                for (Sample sample : outcome.samples()) {
                    CsvWriter.CsvWriterRecord row = csv.writeRecord();
                    for (Column column : columns) {
                        row.writeField(column.of(outcome, sample));
                    }
                    row.endRecord();
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Creates a CSV writer. Closing it does not close {@code to}. */
    public static CsvWriter csv(Appendable to) {
        return CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(new Passing(to));
    }

    private static Map<String, Column> columns() {
        Map<String, Column> columns = new LinkedHashMap<>();
        columns.put("t_rfc3339", (o, s) -> BEGIN.plusNanos(s.atNanos()).toString());
        columns.put("service", (o, s) -> s.service());
        number(columns, "size", Sample::ready);
        number(columns, "target", Sample::target);
        number(columns, "in_use", Sample::inUse);
        number(columns, "checkouts", Sample::checkouts);
        number(columns, "empty_events", Sample::emptyEvents);
        number(columns, "discards", Sample::allDiscards);
        discards(columns, "discard_expired", DiscardReason.EXPIRED_ON_CHECKOUT, DiscardReason.EXPIRED_ON_RETURN);
        discards(columns, "discard_guard", DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
        discards(columns, "discard_full", DiscardReason.RESERVOIR_FULL);
        number(columns, "refills", Sample::refills);
        number(columns, "refill_failures", Sample::allOpenFailures);
        discards(columns, "scan_evictions", DiscardReason.EXPIRED_ON_SCAN, DiscardReason.EXPIRING_SOON_ON_SCAN);
        number(columns, "limiter_denies", Sample::limiterDenies);
        number(columns, "work_started", Sample::workStarted);
        number(columns, "work_completed", Sample::workCompleted);
        ours(columns);
        return columns;
    }

    private static void ours(Map<String, Column> columns) {
        outcome(columns, "scenario", o -> o.scenario().name());
        outcome(columns, "pool", o -> o.pool().label());
        outcome(columns, "seed", o -> Long.toString(o.scenario().seed()));
        number(columns, "instances", Sample::instances);
        number(columns, "validating", Sample::validating);
        number(columns, "opening", Sample::opening);
        number(columns, "closing", Sample::closing);
        number(columns, "usable", Sample::usable);
        number(columns, "open", Sample::open);
        number(columns, "waiting", Sample::waiting);
        number(columns, "leases", Sample::leases);
        number(columns, "timeouts", Sample::timeouts);
        number(columns, "refused", Sample::refused);
        number(columns, "conflicts", Sample::conflicts);
        number(columns, "failed_work", Sample::failedWork);
        number(columns, "wait_p50_us", s -> s.waits().p50Nanos() / 1_000);
        number(columns, "wait_p99_us", s -> s.waits().p99Nanos() / 1_000);
        number(columns, "wait_p999_us", s -> s.waits().p999Nanos() / 1_000);
        number(columns, "wait_max_us", s -> s.waits().maxNanos() / 1_000);
        for (DiscardReason reason : DiscardReason.values()) {
            number(columns, "discards_" + reason.label(), s -> s.discards(reason));
        }
        for (OpenFailureReason reason : OpenFailureReason.values()) {
            number(columns, "failures_" + reason.label(), s -> s.openFailures().getOrDefault(reason, 0L));
        }
    }

    private static void outcome(Map<String, Column> columns, String name, Function<Outcome, String> text) {
        columns.put(name, (o, s) -> text.apply(o));
    }

    private static void number(Map<String, Column> columns, String name, ToLongFunction<Sample> number) {
        columns.put(name, (o, s) -> Long.toString(number.applyAsLong(s)));
    }

    private static void discards(Map<String, Column> columns, String name, DiscardReason... reasons) {
        number(columns, name, s -> {
            long sum = 0;
            for (DiscardReason reason : reasons) {
                sum += s.discards(reason);
            }
            return sum;
        });
    }

    /** A writer that passes everything on and never closes its destination. */
    private static final class Passing extends Writer {
        private final Appendable to;

        Passing(Appendable to) {
            this.to = to;
        }

        @Override
        public void write(char[] chars, int from, int length) throws IOException {
            to.append(new String(chars, from, length));
        }

        @Override
        public void write(String text, int from, int length) throws IOException {
            to.append(text, from, from + length);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
