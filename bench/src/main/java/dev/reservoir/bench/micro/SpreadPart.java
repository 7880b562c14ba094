package dev.reservoir.bench.micro;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Measurement;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Writes the spread of the contended cases: the median, smallest and largest throughput of each pool over the rounds of
 * one run, and Reservoir's median divided by the peer's.
 */
public final class SpreadPart {

    private SpreadPart() {}

    /** Takes {@code --in}, the file with the values of a run, and prints a Markdown table. */
    public static void run(Arguments arguments) throws IOException {
        System.out.print(table(Results.read(Path.of(arguments.text("in")))));
    }

    static String table(List<Measurement> measurements) {
        Map<String, Map<PoolKind, List<Double>>> rows = new LinkedHashMap<>();
        for (Measurement m : measurements) {
            if (m.benchmark().equals("contended") && m.metric().equals("throughput")) {
                rows.computeIfAbsent(m.setting(), setting -> new EnumMap<>(PoolKind.class))
                        .merge(m.pool(), List.of(m.value()), SpreadPart::joined);
            }
        }
        StringBuilder text = new StringBuilder("""
                | setting | pool | median | smallest | largest | Reservoir by this |
                |---|---|---|---|---|---|
                """);
        rows.forEach((setting, pools) ->
                new TreeMap<>(pools).forEach((pool, values) -> text.append(line(setting, pool, values, pools))));
        return text.toString();
    }

    private static String line(String setting, PoolKind pool, List<Double> values, Map<PoolKind, List<Double>> pools) {
        List<Double> ours = pools.get(PoolKind.RESERVOIR);
        String ratio = ours == null ? "-" : Unit.FACTOR.format(median(ours) / median(values));
        return "| " + setting + " | " + pool.title() + " | " + rate(median(values)) + " | "
                + rate(sorted(values).get(0)) + " | " + rate(sorted(values).get(values.size() - 1)) + " | " + ratio
                + " |\n";
    }

    private static List<Double> joined(List<Double> some, List<Double> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    private static String rate(double value) {
        return Unit.PER_SECOND.format(value);
    }

    private static List<Double> sorted(List<Double> values) {
        return values.stream().sorted().toList();
    }

    /** The median. For an even number of values it is the lower of the two in the middle. */
    private static double median(List<Double> values) {
        return sorted(values).get((values.size() - 1) / 2);
    }
}
