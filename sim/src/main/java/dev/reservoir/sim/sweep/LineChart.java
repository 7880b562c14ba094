package dev.reservoir.sim.sweep;

import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome.Verdict;
import java.util.List;
import java.util.Locale;

/** Draws one figure against the values of one setting, together with the bound that is expected of it. */
final class LineChart {
    private static final int WIDTH = 500;
    private static final int HEIGHT = 250;
    private static final int LEFT = 64;
    private static final int RIGHT = 16;
    private static final int TOP = 40;
    private static final int BOTTOM = 44;
    private static final int MOST_LABELS = 10;

    private final Measure measure;
    private final String verdict;
    private final Vary vary;
    private final List<Combination> points;
    private final double top;
    private final StringBuilder svg = new StringBuilder();

    private LineChart(Measure measure, String verdict, Vary vary, List<Combination> points) {
        this.measure = measure;
        this.verdict = verdict;
        this.vary = vary;
        this.points = points;
        double most = 0;
        for (Combination point : points) {
            most = Math.max(most, orZero(figure(point)));
            most = Math.max(most, orZero(measure.bound(point.expected())));
        }
        this.top = niceTop(most);
    }

    /** The chart of a verdict; empty for a verdict without a figure. */
    static String of(SweepResult result, String verdict) {
        Measure measure = Measure.of(verdict);
        return measure == null
                ? ""
                : new LineChart(measure, verdict, result.varied().get(0), result.combinations()).draw();
    }

    private String draw() {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$d\" height=\"%2$d\" viewBox=\"0 0 %1$d %2$d\""
                        + " role=\"img\" aria-label=\"%3$s\">",
                WIDTH,
                HEIGHT,
                SweepReport.escape(measure.about() + " by " + vary.knob().key()));
        text(LEFT, 20, "start", "title", measure.about());
        for (int i = 0; i <= 4; i++) {
            double value = top * i / 4;
            line(y(value), "stroke:var(--line)");
            text(LEFT - 8, y(value) + 4, "end", "tick", label(value));
        }
        int step = (points.size() + MOST_LABELS - 1) / MOST_LABELS;
        for (int i = 0; i < points.size(); i += step) {
            text(
                    x(i),
                    HEIGHT - BOTTOM + 18,
                    "middle",
                    "tick",
                    vary.values().get(i).text());
        }
        text(
                (LEFT + WIDTH - RIGHT) / 2.0,
                HEIGHT - 6,
                "middle",
                "tick",
                vary.knob().key());
        path(true);
        path(false);
        for (int i = 0; i < points.size(); i++) {
            point(i);
        }
        return svg.append("</svg>\n").toString();
    }

    private void path(boolean bounds) {
        StringBuilder path = new StringBuilder();
        boolean pen = false;
        for (int i = 0; i < points.size(); i++) {
            double value = bounds ? measure.bound(points.get(i).expected()) : figure(points.get(i));
            if (Double.isNaN(value)) {
                pen = false;
                continue;
            }
            path.append(pen ? " L" : " M").append(at(x(i))).append(' ').append(at(y(value)));
            pen = true;
        }
        if (bounds && points.size() == 1 && pen) {
            line(y(measure.bound(points.get(0).expected())), "stroke:var(--soft);stroke-dasharray:6 4");
        } else if (path.length() > 0) {
            add(
                    "<path d=\"%s\" style=\"fill:none;stroke:%s\"/>",
                    path.substring(1), bounds ? "var(--soft);stroke-dasharray:6 4" : "var(--accent);stroke-width:2");
        }
    }

    private void point(int i) {
        Combination point = points.get(i);
        Verdict found = point.verdict(verdict);
        String title = vary.knob().key() + " " + vary.values().get(i).text() + ": "
                + (found == null ? point.why() : found.found() + ", expected " + found.expected());
        double value = figure(point);
        String colour = found == null ? "var(--soft)" : found.holds() ? "var(--ok)" : "var(--bad)";
        if (Double.isNaN(value)) {
            add(
                    "<text x=\"%s\" y=\"%s\" text-anchor=\"middle\" style=\"fill:%s\">x<title>%s</title></text>",
                    at(x(i)), at(TOP), colour, SweepReport.escape(title));
        } else if (found != null && !found.holds()) {
            add(
                    "<rect x=\"%s\" y=\"%s\" width=\"9\" height=\"9\" style=\"fill:%s\"><title>%s</title></rect>",
                    at(x(i) - 4.5), at(y(value) - 4.5), colour, SweepReport.escape(title));
        } else {
            add(
                    "<circle cx=\"%s\" cy=\"%s\" r=\"4.5\" style=\"fill:%s\"><title>%s</title></circle>",
                    at(x(i)), at(y(value)), colour, SweepReport.escape(title));
        }
    }

    private void add(String format, Object... args) {
        svg.append(String.format(Locale.ROOT, format, args)).append('\n');
    }

    /** Adds a text at a position. The anchor is its start, middle or end. */
    private void text(double x, double y, String anchor, String kind, String words) {
        add(
                "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" class=\"%s\">%s</text>",
                at(x), at(y), anchor, kind, SweepReport.escape(words));
    }

    /** Adds a level line over the whole width. */
    private void line(double y, String style) {
        add(
                "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" style=\"%s\"/>",
                at(LEFT), at(y), at(WIDTH - RIGHT), at(y), style);
    }

    /** Formats a coordinate with one decimal, in the same way on every machine. */
    private static String at(double coordinate) {
        return Measure.fixed(coordinate, 1);
    }

    private double figure(Combination point) {
        Figures figures = point.figures();
        Verdict found = point.verdict(verdict);
        return figures == null || found == null ? Double.NaN : measure.figure(figures);
    }

    private double x(int i) {
        double width = WIDTH - LEFT - RIGHT;
        return LEFT + width * (i + 0.5) / points.size();
    }

    private double y(double value) {
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top;
    }

    private static double orZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    private String label(double value) {
        int decimals = top >= 40 ? 0 : top >= 4 ? 1 : top >= 0.4 ? 2 : top >= 0.04 ? 3 : 4;
        return Measure.fixed(value, decimals);
    }

    /** The next larger number that has few digits, also after division by four. */
    static double niceTop(double most) {
        if (most <= 0) {
            return 1;
        }
        double unit = StrictMath.pow(10, StrictMath.floor(StrictMath.log10(most)));
        for (double factor : new double[] {1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8}) {
            if (most <= factor * unit) {
                return factor * unit;
            }
        }
        return 10 * unit;
    }
}
