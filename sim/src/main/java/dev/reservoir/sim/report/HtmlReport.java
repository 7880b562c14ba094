package dev.reservoir.sim.report;

import dev.reservoir.sim.result.Outcome;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes one page with the charts, verdicts and tables of one simulation, or of several side by side. The page contains
 * everything it needs, so it works from a file. The same outcomes give the same page, byte for byte. The page never
 * states when or where it was made.
 */
public final class HtmlReport {
    private static final String OURS = "dev/reservoir/sim/report/";

    /** The scripts in the order of their dependencies. They share one scope. */
    private static final List<String> SCRIPTS = List.of("data.js", "charts.js", "reading.js", "page.js");

    /** Path of the chart library. The version must be the one in the build. */
    private static final String CHARTS = "META-INF/resources/webjars/chart.js/4.5.1/dist/chart.umd.min.js";

    /**
     * The line of the library that names a source map. It is removed, because a browser with open developer tools would
     * request that file.
     */
    private static final Pattern SOURCE_MAP = Pattern.compile("(?m)^//# sourceMappingURL=.*$");

    private static final Pattern PLACE = Pattern.compile("@(title|style|charts|data|script)@");

    /**
     * Numbers of points in a series, largest first. The report uses the first one that keeps the data within its limit.
     */
    private static final int[] POINTS = {1500, 1000, 700, 450, 300, 200};

    /** Largest size of the data. Together with the libraries and the page itself this makes about 3 MB. */
    static final int DATA_CHARS_MAX = 2_700_000;

    private HtmlReport() {}

    /**
     * Writes the page, to be stored as UTF-8. Blocks while it reads its parts from the class path.
     *
     * @param outcomes at least one. Several are shown in columns with the same axes, and the first is the baseline of
     *     the comparison
     */
    public static void write(List<Outcome> outcomes, Appendable out) throws IOException {
        if (outcomes.isEmpty()) {
            throw new IllegalArgumentException("outcomes: none, a report needs at least one");
        }
        String template = resource(OURS + "page.html");
        Matcher place = PLACE.matcher(template);
        int done = 0;
        while (place.find()) {
            out.append(template, done, place.start());
            out.append(content(place.group(1), outcomes));
            done = place.end();
        }
        out.append(template, done, template.length());
    }

    private static String content(String place, List<Outcome> outcomes) throws IOException {
        return switch (place) {
            case "title" -> html(Labels.title(outcomes));
            case "style" -> resource(OURS + "page.css");
            case "charts" -> SOURCE_MAP.matcher(resource(CHARTS)).replaceAll("");
            case "data" -> data(outcomes);
            case "script" -> script();
            default -> throw new IllegalStateException("bug: the page has no place " + place);
        };
    }

    private static String data(List<Outcome> outcomes) throws IOException {
        String json = "";
        for (int points : POINTS) {
            json = ReportData.json(outcomes, points);
            if (json.length() <= DATA_CHARS_MAX) {
                break;
            }
        }
        // In JSON a "<" occurs only inside a string, so this replacement changes no meaning. It keeps text from ending
        // the script element early.
        return json.replace("<", "\\u003c");
    }

    private static String script() throws IOException {
        StringBuilder script = new StringBuilder();
        for (String name : SCRIPTS) {
            script.append(resource(OURS + name));
        }
        return script.toString();
    }

    private static String html(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = HtmlReport.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException("a part of the report is not on the class path: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        }
    }
}
