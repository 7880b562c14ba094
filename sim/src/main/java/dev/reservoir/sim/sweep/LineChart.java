package dev.reservoir.sim.sweep;

import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome.Verdict;
import java.util.List;

/** Draws one figure against the values of one setting, together with the bound that is expected of it. */
final class LineChart {
    private static final int WIDTH = 500;
    private static final int HEIGHT = 250;
    private static final int LEFT = 64;
    private static final int RIGHT = 16;
    private static final int TOP = 40;
    private static final int BOTTOM = 44;
    private static final int MOST_LABELS = 10;
    private static final String SOFT_LINE = "stroke:var(--line)";

    private final Measure measure;
    private final String verdict;
    private final Vary vary;
    private final List<Combination> points;
    private final double top;

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
        Svg svg = new Svg(WIDTH, HEIGHT, measure.about() + " by " + vary.knob().key());
        svg.text(LEFT, 20, "start", "title", measure.about());
        for (int i = 0; i <= 4; i++) {
            double value = top * i / 4;
            svg.line(LEFT, y(value), WIDTH - RIGHT, y(value), SOFT_LINE);
            svg.text(LEFT - 8, y(value) + 4, "end", "tick", label(value));
        }
        int step = (points.size() + MOST_LABELS - 1) / MOST_LABELS;
        for (int i = 0; i < points.size(); i += step) {
            svg.text(
                    x(i),
                    HEIGHT - BOTTOM + 18,
                    "middle",
                    "tick",
                    vary.values().get(i).text());
        }
        svg.text(
                (LEFT + WIDTH - RIGHT) / 2.0,
                HEIGHT - 6,
                "middle",
                "tick",
                vary.knob().key());
        path(svg, true);
        path(svg, false);
        for (int i = 0; i < points.size(); i++) {
            point(svg, i);
        }
        return svg.end();
    }

    private void path(Svg svg, boolean bounds) {
        StringBuilder path = new StringBuilder();
        boolean pen = false;
        for (int i = 0; i < points.size(); i++) {
            double value = bounds ? measure.bound(points.get(i).expected()) : figure(points.get(i));
            if (Double.isNaN(value)) {
                pen = false;
                continue;
            }
            path.append(pen ? " L" : " M").append(Svg.at(x(i))).append(' ').append(Svg.at(y(value)));
            pen = true;
        }
        if (bounds && points.size() == 1 && pen) {
            double y = y(measure.bound(points.get(0).expected()));
            svg.line(LEFT, y, WIDTH - RIGHT, y, "stroke:var(--soft);stroke-dasharray:6 4");
        } else if (path.length() > 0) {
            svg.add(
                    "<path d=\"%s\" style=\"fill:none;stroke:%s\"/>",
                    path.substring(1), bounds ? "var(--soft);stroke-dasharray:6 4" : "var(--accent);stroke-width:2");
        }
    }

    private void point(Svg svg, int i) {
        Combination point = points.get(i);
        Verdict found = point.verdict(verdict);
        String title = vary.knob().key() + " " + vary.values().get(i).text() + ": "
                + (found == null ? point.why() : found.found() + ", expected " + found.expected());
        double value = figure(point);
        String colour = found == null ? "var(--soft)" : found.holds() ? "var(--ok)" : "var(--bad)";
        if (Double.isNaN(value)) {
            svg.add(
                    "<text x=\"%s\" y=\"%s\" text-anchor=\"middle\" style=\"fill:%s\">x<title>%s</title></text>",
                    Svg.at(x(i)), Svg.at(TOP), colour, Svg.escape(title));
        } else if (found != null && !found.holds()) {
            svg.add(
                    "<rect x=\"%s\" y=\"%s\" width=\"9\" height=\"9\" style=\"fill:%s\"><title>%s</title></rect>",
                    Svg.at(x(i) - 4.5), Svg.at(y(value) - 4.5), colour, Svg.escape(title));
        } else {
            svg.add(
                    "<circle cx=\"%s\" cy=\"%s\" r=\"4.5\" style=\"fill:%s\"><title>%s</title></circle>",
                    Svg.at(x(i)), Svg.at(y(value)), colour, Svg.escape(title));
        }
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
