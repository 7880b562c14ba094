package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Unit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Markdown table of figures, with a row for each metric and a column for each side. If a cell has several values, it
 * shows their median.
 */
final class FigureTable {
    private record Row(String what, String setting, String metric, Unit unit) {}

    private final Map<Row, Map<MeasuredSide, List<Double>>> rows = new LinkedHashMap<>();

    FigureTable(List<Figure> figures) {
        for (Figure f : figures) {
            rows.computeIfAbsent(
                            new Row(f.what(), f.setting(), f.metric(), f.unit()),
                            key -> new EnumMap<>(MeasuredSide.class))
                    .computeIfAbsent(f.side(), key -> new ArrayList<>())
                    .add(f.value());
        }
    }

    String toMarkdown() {
        String titles =
                Stream.of(MeasuredSide.values()).map(MeasuredSide::title).collect(Collectors.joining(" | "));
        StringBuilder text = new StringBuilder("| case | setting | measure | " + titles
                + " | bar | of the bar |\n|---|---|---|---|---|---|---|---|\n");
        rows.forEach((row, values) -> text.append(line(row, values)));
        return text.toString();
    }

    private static String line(Row row, Map<MeasuredSide, List<Double>> values) {
        String cells = Stream.of(MeasuredSide.values())
                .map(side -> cell(row.unit, values.get(side)))
                .collect(Collectors.joining(" | "));
        ClusterBar bar = ClusterBar.of(row.what, row.setting, row.metric);
        List<Double> ours = values.get(MeasuredSide.RESERVOIR);
        String judged = bar == null || ours == null ? " | " : bar.judge(row.unit, median(ours));
        return "| " + row.what + " | " + row.setting + " | " + row.metric + " | " + cells + " | " + judged + " |\n";
    }

    private static String cell(Unit unit, @Nullable List<Double> values) {
        return values == null ? "-" : unit.format(median(values));
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** A number with two decimal places. */
    static String ratio(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
