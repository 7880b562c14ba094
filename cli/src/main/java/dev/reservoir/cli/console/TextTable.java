package dev.reservoir.cli.console;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;

/** Rows of text in columns that line up. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<String> headings = new ArrayList<>();
    private final List<Boolean> toTheRight = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** A column whose text begins at the left. */
    public TextTable left(String heading) {
        headings.add(heading);
        toTheRight.add(false);
        return this;
    }

    /** A column whose text ends at the right, as numbers do. */
    public TextTable right(String heading) {
        headings.add(heading);
        toTheRight.add(true);
        return this;
    }

    public TextTable row(List<String> cells) {
        if (cells.size() != headings.size()) {
            throw new IllegalArgumentException(
                    "bug: a row of " + cells.size() + " cells in a table of " + headings.size() + " columns");
        }
        rows.add(List.copyOf(cells));
        return this;
    }

    public void print(PrintStream out) {
        print(out, (cell, padded) -> padded);
    }

    /** Prints it; the style gets each cell's text and the text as wide as its column, and returns what to print for it. */
    public void print(PrintStream out, BinaryOperator<String> style) {
        int[] widths = new int[headings.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = headings.get(i).length();
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        if (headings.stream().anyMatch(h -> !h.isEmpty())) {
            line(out, headings, widths, (cell, padded) -> padded);
        }
        rows.forEach(row -> line(out, row, widths, style));
    }

    private void line(PrintStream out, List<String> cells, int[] widths, BinaryOperator<String> style) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cells.get(i);
            boolean last = i == widths.length - 1;
            String space = " ".repeat(widths[i] - cell.length());
            String padded = toTheRight.get(i) ? space + cell : last ? cell : cell + space;
            line.append(GAP).append(style.apply(cell, padded));
        }
        out.println(line.toString().stripTrailing());
    }
}
