package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Unit;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Appends figures to a file, one line at a time, and makes a table of all figures in the file. Never rewrites a line: a
 * repeated run adds values, and the table shows their median.
 */
final class FigureFile {
    private final Path file;
    private final PrintStream progress;

    FigureFile(Path file, PrintStream progress) {
        this.file = file;
        this.progress = progress;
    }

    /** The figures of one variant of one case for one side. */
    Sheet sheet(String what, String setting, MeasuredSide side) {
        return new Sheet(what, setting, side);
    }

    /** Writes the table of all figures next to their file. */
    void writeTable() throws IOException {
        List<Figure> figures = Files.readAllLines(file).stream()
                .filter(line -> !line.isBlank())
                .map(Figure::ofLine)
                .toList();
        String name = file.getFileName().toString().replaceFirst("\\.tsv$", "") + ".md";
        Files.writeString(file.resolveSibling(name), new FigureTable(figures).toMarkdown());
    }

    /** Adds figures, one at a time. */
    final class Sheet {
        private final String what;
        private final String setting;
        private final MeasuredSide side;

        private Sheet(String what, String setting, MeasuredSide side) {
            this.what = what;
            this.setting = setting;
            this.side = side;
        }

        Sheet add(String metric, Unit unit, long value) throws IOException {
            return add(metric, unit, (double) value);
        }

        Sheet add(String metric, Unit unit, double value) throws IOException {
            Figure figure = new Figure(what, setting, metric, unit, side, value);
            Files.writeString(file, figure.toLine() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            progress.printf("%-22s %-8s %-40s %-44s %s%n", side.title(), what, setting, metric, unit.format(value));
            return this;
        }
    }
}
