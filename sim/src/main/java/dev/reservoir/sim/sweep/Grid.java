package dev.reservoir.sim.sweep;

import dev.reservoir.sim.result.Outcome.Verdict;
import java.util.List;

/**
 * Draws a grid of the combinations of two settings, one down and one across, and marks those that meet all
 * expectations.
 */
final class Grid {
    private static final int LEFT = 90;
    private static final int TOP = 44;
    private static final int WIDEST = 960;
    private static final int CELL_WIDEST = 110;
    private static final int CELL_NARROWEST = 8;
    private static final int TEXT_NEEDS = 84;

    private final SweepResult result;
    private final Vary rows;
    private final Vary columns;
    private final List<Combination> cells;
    private final int cellWidth;
    private final int cellHeight;

    private Grid(SweepResult result, Vary rows, Vary columns, List<Combination> cells) {
        this.result = result;
        this.rows = rows;
        this.columns = columns;
        this.cells = cells;
        int fitting = (WIDEST - LEFT) / columns.values().size();
        this.cellWidth = Math.max(CELL_NARROWEST, Math.min(CELL_WIDEST, fitting));
        this.cellHeight = Math.min(34, Math.max(CELL_NARROWEST, cellWidth));
    }

    /** The grid of these cells, which are ordered row by row. */
    static String of(SweepResult result, Vary rows, Vary columns, List<Combination> cells) {
        return new Grid(result, rows, columns, cells).draw();
    }

    private String draw() {
        int across = columns.values().size();
        int down = rows.values().size();
        Svg svg = new Svg(
                LEFT + across * cellWidth + 10,
                TOP + down * cellHeight + 10,
                "what meets everything, by " + rows.knob().key() + " and "
                        + columns.knob().key());
        svg.text(LEFT, 16, "start", "title", columns.knob().key());
        svg.text(LEFT - 10, TOP - 8, "end", "title", rows.knob().key());
        int stepAcross = Math.max(1, (48 + cellWidth - 1) / cellWidth);
        for (int i = 0; i < across; i += stepAcross) {
            svg.text(
                    LEFT + (i + 0.5) * cellWidth,
                    TOP - 8,
                    "middle",
                    "tick",
                    columns.values().get(i).text());
        }
        int stepDown = Math.max(1, (16 + cellHeight - 1) / cellHeight);
        for (int i = 0; i < down; i += stepDown) {
            svg.text(
                    LEFT - 10,
                    TOP + (i + 0.5) * cellHeight + 4,
                    "end",
                    "tick",
                    rows.values().get(i).text());
        }
        Combination smallest = result.smallest();
        for (int i = 0; i < cells.size(); i++) {
            cell(svg, cells.get(i), i % across, i / across, cells.get(i).equals(smallest));
        }
        return svg.end();
    }

    private void cell(Svg svg, Combination cell, int column, int row, boolean smallest) {
        double x = LEFT + (double) column * cellWidth;
        double y = TOP + (double) row * cellHeight;
        String fill = cell.meets() ? "var(--okfill)" : cell.impossible() != null ? "var(--none)" : "var(--badfill)";
        String frame = smallest ? "stroke:var(--ok);stroke-width:3" : "stroke:var(--page);stroke-width:1";
        svg.add("<g><title>%s</title>", Svg.escape(title(cell)));
        svg.add(
                "<rect x=\"%s\" y=\"%s\" width=\"%d\" height=\"%d\" style=\"fill:%s;%s\"/>",
                Svg.at(x + (smallest ? 1.5 : 0)),
                Svg.at(y + (smallest ? 1.5 : 0)),
                cellWidth - (smallest ? 3 : 0),
                cellHeight - (smallest ? 3 : 0),
                fill,
                frame);
        String words = words(cell);
        if (!words.isEmpty()) {
            svg.text(x + cellWidth / 2.0, y + cellHeight / 2.0 + 4, "middle", cell.meets() ? "meets" : "fails", words);
        }
        svg.add("</g>");
    }

    private String words(Combination cell) {
        if (cellWidth < 16) {
            return "";
        }
        if (cell.meets()) {
            return "\u2713";
        }
        if (cell.impossible() != null) {
            return "-";
        }
        return cellWidth < TEXT_NEEDS
                ? "\u2717"
                : cell.verdicts().stream()
                        .filter(v -> !v.holds())
                        .map(Verdict::name)
                        .map(SweepResult::heading)
                        .findFirst()
                        .orElse("\u2717");
    }

    private String title(Combination cell) {
        StringBuilder title = new StringBuilder(result.settings(cell));
        if (cell.impossible() != null) {
            return title.append("\n").append(cell.why()).toString();
        }
        for (Verdict verdict : cell.verdicts()) {
            title.append(verdict.holds() ? "\nholds: " : "\nDOES NOT HOLD: ")
                    .append(verdict.name())
                    .append(": ")
                    .append(verdict.found())
                    .append(" (expected ")
                    .append(verdict.expected())
                    .append(')');
        }
        return title.toString();
    }
}
