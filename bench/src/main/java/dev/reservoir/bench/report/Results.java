package dev.reservoir.bench.report;

import dev.reservoir.bench.pools.PoolKind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Appends the measurements of one part to a file, one line at a time, so that an interrupted run keeps its results.
 * Never rewrites a line: a repeated run adds values, and the table shows their median.
 */
public record Results(Path file, PrintStream progress) {

    /** The results of one variant of one benchmark for one pool. */
    public Sheet sheet(String benchmark, String setting, PoolKind pool) {
        return sheet(benchmark, setting, pool.title());
    }

    /** The results of one variant of one benchmark for one contender, by its title. */
    public Sheet sheet(String benchmark, String setting, String contender) {
        return new Sheet(benchmark, setting, contender);
    }

    public static List<Measurement> read(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> !line.isBlank())
                .map(Measurement::ofLine)
                .toList();
    }

    public final class Sheet {

        private final String benchmark;
        private final String setting;
        private final String contender;

        private Sheet(String benchmark, String setting, String contender) {
            this.benchmark = benchmark;
            this.setting = setting;
            this.contender = contender;
        }

        public Sheet higher(String metric, Unit unit, Number value) throws IOException {
            return add(metric, unit, Better.HIGHER, value.doubleValue());
        }

        public Sheet lower(String metric, Unit unit, Number value) throws IOException {
            return add(metric, unit, Better.LOWER, value.doubleValue());
        }

        /** Adds a value that is neither good nor bad. */
        public Sheet neutral(String metric, Unit unit, Number value) throws IOException {
            return add(metric, unit, Better.NEITHER, value.doubleValue());
        }

        private Sheet add(String metric, Unit unit, Better better, double value) throws IOException {
            Measurement measurement = new Measurement(benchmark, setting, metric, unit, better, contender, value);
            Files.writeString(file, measurement.toLine() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            progress.printf("%-22s %-16s %-44s %-44s %s%n", contender, benchmark, setting, metric, unit.format(value));
            return this;
        }
    }
}
