package dev.reservoir.bench.report;

import dev.reservoir.bench.pools.PoolKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A Markdown table of measurements, with a row for each metric of each benchmark and a column for each pool. A peer's
 * cell shows its value and, in brackets, Reservoir's value divided by it. If a cell has several values, it shows their
 * median. Never compares values of different runs: the measurements come from one run.
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
        rows.forEach((row, values) -> text.append(line(row, medians(values))));
        return text.toString();
    }

    private String line(Row row, Map<PoolKind, Double> values) {
        String cells =
                pools.stream().map(pool -> cell(row, pool, values)).collect(Collectors.joining(" | ", "| ", " | "));
        return "| " + row.benchmark() + " | " + row.setting() + " | " + row.metric() + " | "
                + (row.better() == Better.HIGHER ? "high" : "low") + " " + cells + bars(row, values) + " |\n";
    }

    private static String cell(Row row, PoolKind pool, Map<PoolKind, Double> values) {
        Double value = values.get(pool);
        if (value == null) {
            return "-";
        }
        Double ours = values.get(PoolKind.RESERVOIR);
        String text = row.unit().format(value);
        return pool == PoolKind.RESERVOIR || ours == null ? text : text + ratio(ours, value);
    }

    /** The ratio in brackets, or nothing if it has no meaning: a division by zero, or an infinite time. */
    private static String ratio(double ours, double peer) {
        return peer == 0 || Double.isInfinite(ours) || Double.isInfinite(peer)
                ? ""
                : " (" + Unit.decimals(ours / peer) + "×)";
    }

    private static String bars(Row row, Map<PoolKind, Double> values) {
        Double ours = values.get(PoolKind.RESERVOIR);
        if (ours == null) {
            return "";
        }
        return Bar.of(row.benchmark(), row.metric()).stream()
                .map(bar -> bar.judge(ours, values))
                .collect(Collectors.joining(", "));
    }

    private static Map<PoolKind, Double> medians(Map<PoolKind, List<Double>> values) {
        Map<PoolKind, Double> medians = new EnumMap<>(PoolKind.class);
        values.forEach((pool, measured) -> medians.put(pool, median(measured)));
        return medians;
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
