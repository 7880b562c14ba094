package dev.reservoir.sim.sweep;

import java.util.Locale;

/** Builds an SVG image as text. Writes numbers in the same way on every machine. */
final class Svg {
    private final StringBuilder text = new StringBuilder();

    Svg(int width, int height, String label) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\""
                        + " aria-label=\"%s\">",
                width, height, width, height, escape(label));
    }

    Svg add(String format, Object... args) {
        text.append(String.format(Locale.ROOT, format, args)).append('\n');
        return this;
    }

    /** Adds a text at a position. The anchor is its start, middle or end. */
    Svg text(double x, double y, String anchor, String kind, String words) {
        return add(
                "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" class=\"%s\">%s</text>",
                at(x), at(y), anchor, kind, escape(words));
    }

    Svg line(double x1, double y1, double x2, double y2, String style) {
        return add(
                "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" style=\"%s\"/>", at(x1), at(y1), at(x2), at(y2), style);
    }

    String end() {
        return text.append("</svg>\n").toString();
    }

    /** Formats a coordinate with one decimal. */
    static String at(double coordinate) {
        return Measure.fixed(coordinate, 1);
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
