package dev.reservoir.bench.report;

import dev.reservoir.bench.pools.PoolKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Markdown table of measurements, with a row for each metric of each benchmark and a column for each contender. A
 * peer's cell shows its value and, in brackets, Reservoir's value divided by it. If a cell has several values, it shows
 * their median and then the smallest and the largest. Never compares values of different runs: the measurements come
 * from one run.
 */
public final class ResultTable {

    private static final String OURS = PoolKind.RESERVOIR.title();

    private record Row(String benchmark, String setting, String metric, Unit unit, Better better) {}

    private final Map<Row, Map<String, List<Double>>> rows = new LinkedHashMap<>();

    /** The columns: Reservoir first, then the others as they were measured. */
    private final Set<String> contenders = new LinkedHashSet<>();

    public ResultTable(List<Measurement> measurements) {
        if (measurements.stream().anyMatch(m -> m.contender().equals(OURS))) {
            contenders.add(OURS);
        }
        for (Measurement m : measurements) {
            Row row = new Row(m.benchmark(), m.setting(), m.metric(), m.unit(), m.better());
            rows.computeIfAbsent(row, key -> new HashMap<>())
                    .computeIfAbsent(m.contender(), key -> new ArrayList<>())
                    .add(m.value());
            contenders.add(m.contender());
        }
    }

    public String toMarkdown() {
        StringBuilder text = new StringBuilder("| benchmark | setting | measure | good |");
        contenders.forEach(contender -> text.append(' ').append(contender).append(" |"));
        text.append(" bar |\n|---|---|---|---|");
        contenders.forEach(contender -> text.append("---|"));
        text.append("---|\n");
        rows.forEach((row, values) -> text.append(line(row, values)));
        return text.toString();
    }

    private String line(Row row, Map<String, List<Double>> values) {
        String cells = contenders.stream()
                .map(contender -> cell(row, contender, values))
                .collect(Collectors.joining(" | ", "| ", " | "));
        return "| " + row.benchmark() + " | " + row.setting() + " | " + row.metric() + " | " + row.better().title + " "
                + cells + bars(row, values) + " |\n";
    }

    private static String cell(Row row, String contender, Map<String, List<Double>> values) {
        List<Double> measured = values.get(contender);
        if (measured == null) {
            return "-";
        }
        List<Double> ours = values.get(OURS);
        String text = spread(Median.of(measured), measured, row.unit()::format);
        return contender.equals(OURS) || ours == null ? text : text + ratio(ours, measured);
    }

    /**
     * The ratio of the medians in brackets, or nothing if it has no meaning: a division by zero, or an infinite time.
     * The pools take turns, so the values at the same place of two lists were measured close together. If both lists
     * have all their values, the smallest and the largest ratio of such values follow.
     */
    private static String ratio(List<Double> ours, List<Double> peer) {
        double ratio = Median.of(ours) / Median.of(peer);
        if (!Double.isFinite(ratio) || Double.isInfinite(Median.of(peer))) {
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

    private static String bars(Row row, Map<String, List<Double>> values) {
        List<Double> ours = values.get(OURS);
        if (ours == null) {
            return "";
        }
        Map<String, Double> medians = new HashMap<>();
        values.forEach((contender, measured) -> medians.put(contender, Median.of(measured)));
        return Bar.of(row.benchmark(), row.setting(), row.metric()).stream()
                .map(bar -> bar.judge(row.unit(), Median.of(ours), medians))
                .collect(Collectors.joining(", "));
    }
}
