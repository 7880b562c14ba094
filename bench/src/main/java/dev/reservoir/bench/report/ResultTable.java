package dev.reservoir.bench.report;

import dev.reservoir.bench.pools.PoolKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Markdown table of measurements, with a row for each metric of each benchmark and a column for each pool. A peer's
 * cell shows its value and, in brackets, Reservoir's value divided by it. If a cell has several values, it shows their
 * median and then the smallest and the largest. Never compares values of different runs: the measurements come from one run.
 */
public final class ResultTable {

    private record Row(String benchmark, String setting, String metric, Unit unit, Better better) {}

    private final Map<Row, Map<PoolKind, List<Double>>> rows = new LinkedHashMap<>();
    private final TreeSet<PoolKind> pools = new TreeSet<>();

    public ResultTable(List<Measurement> measurements) {
        for (Measurement m : measurements) {
            Row row = new Row(m.benchmark(), m.setting(), m.metric(), m.unit(), m.better());
            rows.computeIfAbsent(row, key -> new EnumMap<>(PoolKind.class))
                    .computeIfAbsent(m.pool(), key -> new ArrayList<>())
                    .add(m.value());
            pools.add(m.pool());
        }
    }

    public String toMarkdown() {
        StringBuilder text = new StringBuilder("| benchmark | setting | measure | good |");
        pools.forEach(pool -> text.append(' ').append(pool.title()).append(" |"));
        text.append(" bar |\n|---|---|---|---|");
        pools.forEach(pool -> text.append("---|"));
        text.append("---|\n");
        rows.forEach((row, values) -> text.append(line(row, values)));
        return text.toString();
    }

    private String line(Row row, Map<PoolKind, List<Double>> values) {
        String cells =
                pools.stream().map(pool -> cell(row, pool, values)).collect(Collectors.joining(" | ", "| ", " | "));
        return "| " + row.benchmark() + " | " + row.setting() + " | " + row.metric() + " | "
                + (row.better() == Better.HIGHER ? "high" : "low") + " " + cells + bars(row, values) + " |\n";
    }

    private static String cell(Row row, PoolKind pool, Map<PoolKind, List<Double>> values) {
        List<Double> measured = values.get(pool);
        if (measured == null) {
            return "-";
        }
        List<Double> ours = values.get(PoolKind.RESERVOIR);
        String text = spread(median(measured), measured, row.unit()::format);
        return pool == PoolKind.RESERVOIR || ours == null ? text : text + ratio(ours, measured);
    }

    /**
     * The ratio of the medians in brackets, or nothing if it has no meaning: a division by zero, or an infinite time.
     * The pools take turns, so the values at the same place of two lists were measured close together. If both lists
     * have all their values, the smallest and the largest ratio of such values follow.
     */
    private static String ratio(List<Double> ours, List<Double> peer) {
        double ratio = median(ours) / median(peer);
        if (!Double.isFinite(ratio) || Double.isInfinite(median(peer))) {
            return "";
        }
        List<Double> ratios = ours.size() == peer.size()
                ? IntStream.range(0, ours.size())
                        .mapToObj(i -> ours.get(i) / peer.get(i))
                        .toList()
                : List.of();
        boolean meaningful = ratios.stream().allMatch(Double::isFinite);
        return " (" + spread(ratio, meaningful ? ratios : List.of(), value -> Unit.decimals(value) + "×") + ")";
    }

    /** The middle, and the smallest and the largest value if there are several. */
    private static String spread(double middle, List<Double> values, Function<Double, String> format) {
        return values.size() < 2
                ? format.apply(middle)
                : format.apply(middle) + ", " + format.apply(Collections.min(values)) + " to "
                        + format.apply(Collections.max(values));
    }

    private static String bars(Row row, Map<PoolKind, List<Double>> values) {
        List<Double> ours = values.get(PoolKind.RESERVOIR);
        if (ours == null) {
            return "";
        }
        Map<PoolKind, Double> medians = new EnumMap<>(PoolKind.class);
        values.forEach((pool, measured) -> medians.put(pool, median(measured)));
        return Bar.of(row.benchmark(), row.metric()).stream()
                .map(bar -> bar.judge(median(ours), medians))
                .collect(Collectors.joining(", "));
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
