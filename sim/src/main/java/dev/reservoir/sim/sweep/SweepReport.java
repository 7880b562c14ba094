package dev.reservoir.sim.sweep;

import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.sweep.Vary.Value;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Writes a sweep as one page that needs nothing else. One setting gives a line chart for each figure, two settings give
 * a grid. More settings give a grid for each combination of the others. A table of all combinations follows. The page
 * never uses the network.
 */
public final class SweepReport {
    /** Largest number of grids. Nobody looks at more, and the table contains everything. */
    private static final int MOST_GRIDS = 24;

    /** Largest number of columns of a grid whose cells have room for words. */
    private static final int MOST_WORDS = 16;

    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>Sweep of SCENARIO</title>
            <style>
            :root { color-scheme: light dark; --ink: #1c2733; --soft: #5b6b7a; --line: #d4dbe2; --page: #ffffff;
              --ok: #1a7f4b; --okfill: #cdeedd; --bad: #b3261e; --badfill: #f9d6d2; --none: #e4e8ec; --accent: #1f5fa8; }
            @media (prefers-color-scheme: dark) {
              :root { --ink: #e6ebf0; --soft: #9aa8b5; --line: #39444f; --page: #12181e;
                --ok: #5fd39b; --okfill: #17452f; --bad: #ff8a80; --badfill: #5a211d; --none: #2a333c; --accent: #7db6f2; } }
            body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
              max-width: 1080px; margin: 2rem auto; padding: 0 1rem; }
            h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; }
            p { margin: .25rem 0; } .soft { color: var(--soft); } .ok { color: var(--ok); } .bad { color: var(--bad); }
            .answer { font-size: 1.15rem; }
            .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 1rem; }
            .wide { overflow-x: auto; }
            svg { max-width: 100%; height: auto; }
            svg text { font: 12px system-ui, sans-serif; fill: var(--ink); } svg .tick { fill: var(--soft); }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
            th, td { text-align: right; padding: .2rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
            th { position: sticky; top: 0; background: var(--page); } td.why { text-align: left; white-space: normal; }
            .grid th, .grid td { text-align: center; border: 1px solid var(--page); } .grid th { font-weight: normal; }
            .grid .meets { background: var(--okfill); } .grid .fails { background: var(--badfill); }
            .grid .none { background: var(--none); } .grid .smallest { outline: 3px solid var(--ok); outline-offset: -3px; }
            .many th, .many td { font-size: 10px; padding: 0 1px; } .many tr:first-child th { writing-mode: vertical-rl; }
            </style>
            </head>
            <body>
            """;

    private final SweepResult result;
    private final StringBuilder page = new StringBuilder();

    private SweepReport(SweepResult result) {
        this.result = result;
    }

    /** Writes the page. Does not close {@code to}. */
    public static void write(SweepResult result, Appendable to) throws IOException {
        SweepReport report = new SweepReport(result);
        report.head();
        report.pictures();
        report.table();
        to.append(report.page).append("</body>\n</html>\n");
    }

    /** Adds HTML with texts in it, which are escaped. */
    private void add(String format, Object... texts) {
        page.append(String.format(
                Locale.ROOT,
                format,
                Arrays.stream(texts).map(text -> escape(text.toString())).toArray()));
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private void head() {
        Scenario scenario = result.scenario();
        page.append(HEAD.replace("SCENARIO", escape(scenario.name())));
        add("<h1>Sweep of %s</h1>\n", scenario.name());
        Combination smallest = result.smallest();
        if (smallest == null) {
            add("<p class=\"answer bad\">No combination meets everything that is expected.</p>\n");
        } else {
            String answer =
                    "<p class=\"answer\">The smallest setting that meets everything: <b class=\"ok\">%s</b></p>\n";
            add(answer, result.settings(smallest));
        }
        add(
                "<p class=\"soft\">%s of %s combinations meet everything. Simulated: %s each, pool %s, seed %s.</p>\n",
                result.meeting(),
                result.combinations().size(),
                DurationText.format(scenario.duration()),
                result.pool().label(),
                scenario.seed());
    }

    private void pictures() {
        List<Vary> varied = result.varied();
        if (varied.size() == 1) {
            add(
                    "<h2>The figures that decide, by %s</h2>\n",
                    varied.get(0).knob().key());
            add("<p class=\"soft\">Dashed: what is expected. Green points meet it, red squares do not.</p>\n");
            add("<div class=\"charts\">\n");
            result.verdictNames().forEach(verdict -> page.append(LineChart.of(result, verdict)));
            add("</div>\n");
            return;
        }
        Vary rows = varied.get(varied.size() - 2);
        Vary columns = varied.get(varied.size() - 1);
        int each = rows.values().size() * columns.values().size();
        int grids = result.combinations().size() / each;
        String by = "<h2>What meets everything, by %s (down) and %s (across)</h2>\n";
        add(by, rows.knob().key(), columns.knob().key());
        add("<p class=\"soft\">Green with a tick meets everything; red names what does not hold; grey cannot be. ");
        add("Rest on a cell for its figures.</p>\n");
        for (int i = 0; i < Math.min(grids, MOST_GRIDS); i++) {
            List<Combination> cells = result.combinations().subList(i * each, (i + 1) * each);
            String others = others(cells.get(0));
            if (!others.isEmpty()) {
                add("<h2>%s</h2>\n", others);
            }
            grid(rows, columns, cells);
        }
        if (grids > MOST_GRIDS) {
            String left = "<p class=\"soft\">%s more grids are not drawn; the table has everything.</p>\n";
            add(left, grids - MOST_GRIDS);
        }
    }

    /** Adds a grid of the combinations of two settings. The cells are ordered row by row. */
    private void grid(Vary rows, Vary columns, List<Combination> cells) {
        int across = columns.values().size();
        boolean many = across > MOST_WORDS;
        add("<div class=\"wide\"><table class=\"grid%s\">\n<tr><th></th>", many ? " many" : "");
        columns.values().forEach(value -> heading("col", value.text()));
        Combination smallest = result.smallest();
        for (int i = 0; i < cells.size(); i++) {
            if (i % across == 0) {
                add("</tr>\n<tr>");
                heading("row", rows.values().get(i / across).text());
            }
            Combination cell = cells.get(i);
            String kind = cell.meets() ? "meets" : cell.impossible() != null ? "none" : "fails";
            String frame = cell.equals(smallest) ? " smallest" : "";
            add("<td class=\"%s%s\" title=\"%s\">%s</td>", kind, frame, title(cell), words(cell, many));
        }
        add("</tr>\n</table></div>\n");
    }

    private void heading(String scope, String text) {
        add("<th scope=\"%s\">%s</th>", scope, text);
    }

    private static String words(Combination cell, boolean many) {
        if (cell.meets()) {
            return "\u2713";
        }
        if (cell.impossible() != null) {
            return "-";
        }
        Verdict failed =
                cell.verdicts().stream().filter(v -> !v.holds()).findFirst().orElseThrow();
        return many ? "\u2717" : SweepResult.heading(failed.name());
    }

    private String title(Combination cell) {
        StringBuilder title = new StringBuilder(result.settings(cell));
        if (cell.impossible() != null) {
            return title.append("\n").append(cell.why()).toString();
        }
        for (Verdict verdict : cell.verdicts()) {
            title.append(verdict.holds() ? "\nholds: " : "\nDOES NOT HOLD: ").append(verdict.said());
        }
        return title.toString();
    }

    /** The settings that a grid does not show, with their values in that grid. */
    private String others(Combination combination) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < result.varied().size() - 2; i++) {
            Value value = combination.values().get(i);
            texts.add(result.varied().get(i).knob().key() + " = " + value.text());
        }
        return String.join(", ", texts);
    }

    private void table() {
        List<String> verdicts = result.verdictNames();
        add("<h2>All combinations</h2>\n<div class=\"wide\"><table>\n<thead><tr>");
        result.varied().forEach(v -> heading("col", v.knob().key()));
        heading("col", "meets");
        verdicts.forEach(v -> heading("col", SweepResult.heading(v)));
        add("</tr></thead>\n<tbody>\n");
        for (Combination combination : result.combinations()) {
            add("<tr>");
            combination.values().forEach(v -> add("<td>%s</td>", v.text()));
            add(combination.meets() ? "<td class=\"ok\">yes</td>" : "<td class=\"bad\">no</td>");
            if (combination.impossible() == null) {
                verdicts.forEach(verdict -> figure(combination.figure(verdict)));
            } else {
                int width = Math.max(1, verdicts.size());
                add("<td class=\"why soft\" colspan=\"%s\">%s</td>", width, combination.why());
            }
            add("</tr>\n");
        }
        add("</tbody>\n</table></div>\n");
    }

    private void figure(String text) {
        add(text.endsWith("!") ? "<td class=\"bad\">%s</td>" : "<td>%s</td>", text);
    }
}
