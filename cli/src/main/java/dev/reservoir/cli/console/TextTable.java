package dev.reservoir.cli.console;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;

/** Prints rows of text in aligned columns. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<String> headings = new ArrayList<>();
    private final List<Boolean> toTheRight = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable left(String heading) {
        headings.add(heading);
        toTheRight.add(false);
        return this;
    }

    /** Adds a right-aligned column, for numbers. */
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

    /** Prints the table, and colours the cells that say whether something holds. */
    public void print(Console console) {
        print(console.out(), console::marked);
    }

    /**
     * Prints the table. The style receives the text of each cell, and the same text padded to the width of its column.
     * It returns the text to print.
     */
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
