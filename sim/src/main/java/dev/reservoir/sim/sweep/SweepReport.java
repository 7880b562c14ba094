package dev.reservoir.sim.sweep;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.sweep.Vary.Value;
import java.io.IOException;
import java.util.ArrayList;
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
            svg { max-width: 100%; height: auto; } .wide svg { max-width: none; }
            svg text { font: 12px system-ui, sans-serif; fill: var(--ink); } svg .tick { fill: var(--soft); }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
            th, td { text-align: right; padding: .2rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
            th { position: sticky; top: 0; background: var(--page); } td.why { text-align: left; white-space: normal; }
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

    private void head() {
        String name = Svg.escape(result.scenario().name());
        page.append(HEAD.replace("SCENARIO", name));
        page.append("<h1>Sweep of ").append(name).append("</h1>\n");
        Combination smallest = result.smallest();
        if (smallest == null) {
            page.append("<p class=\"answer bad\">No combination meets everything that is expected.</p>\n");
        } else {
            page.append("<p class=\"answer\">The smallest setting that meets everything: <b class=\"ok\">")
                    .append(Svg.escape(result.settings(smallest)))
                    .append("</b></p>\n");
        }
        page.append(String.format(
                Locale.ROOT,
                "<p class=\"soft\">%d of %d combinations meet everything. Simulated: %s each, pool %s, seed %d.</p>\n",
                result.meeting(),
                result.combinations().size(),
                DurationText.format(result.scenario().duration()),
                result.pool().label(),
                result.scenario().seed()));
    }

    private void pictures() {
        List<Vary> varied = result.varied();
        if (varied.size() == 1) {
            page.append("<h2>The figures that decide, by ")
                    .append(varied.get(0).knob().key())
                    .append(
                            "</h2>\n<p class=\"soft\">Dashed: what is expected. Green points meet it, red squares do not.</p>\n")
                    .append("<div class=\"charts\">\n");
            result.verdictNames().forEach(verdict -> page.append(LineChart.of(result, verdict)));
            page.append("</div>\n");
            return;
        }
        Vary rows = varied.get(varied.size() - 2);
        Vary columns = varied.get(varied.size() - 1);
        int each = rows.values().size() * columns.values().size();
        int grids = result.combinations().size() / each;
        page.append("<h2>What meets everything, by ")
                .append(rows.knob().key())
                .append(" (down) and ")
                .append(columns.knob().key())
                .append(
                        " (across)</h2>\n<p class=\"soft\">Green with a tick meets everything; red names what does not hold; ")
                .append("grey cannot be. Rest on a cell for its figures.</p>\n");
        for (int i = 0; i < Math.min(grids, MOST_GRIDS); i++) {
            List<Combination> cells = result.combinations().subList(i * each, (i + 1) * each);
            String others = others(cells.get(0));
            if (!others.isEmpty()) {
                page.append("<h2>").append(Svg.escape(others)).append("</h2>\n");
            }
            page.append("<div class=\"wide\">")
                    .append(Grid.of(result, rows, columns, cells))
                    .append("</div>\n");
        }
        if (grids > MOST_GRIDS) {
            page.append("<p class=\"soft\">")
                    .append(grids - MOST_GRIDS)
                    .append(" more grids are not drawn; the table has everything.</p>\n");
        }
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
        page.append("<h2>All combinations</h2>\n<div class=\"wide\"><table>\n<thead><tr>");
        result.varied()
                .forEach(v ->
                        page.append("<th scope=\"col\">").append(v.knob().key()).append("</th>"));
        page.append("<th scope=\"col\">meets</th>");
        verdicts.forEach(v -> page.append("<th scope=\"col\">")
                .append(Svg.escape(SweepResult.heading(v)))
                .append("</th>"));
        page.append("</tr></thead>\n<tbody>\n");
        for (Combination combination : result.combinations()) {
            page.append("<tr>");
            combination
                    .values()
                    .forEach(v -> page.append("<td>").append(v.text()).append("</td>"));
            page.append(combination.meets() ? "<td class=\"ok\">yes</td>" : "<td class=\"bad\">no</td>");
            if (combination.impossible() != null) {
                page.append("<td class=\"why soft\" colspan=\"")
                        .append(Math.max(1, verdicts.size()))
                        .append("\">")
                        .append(Svg.escape(combination.why()))
                        .append("</td>");
            } else {
                verdicts.forEach(v -> cell(combination.figure(v)));
            }
            page.append("</tr>\n");
        }
        page.append("</tbody>\n</table></div>\n");
    }

    private void cell(String figure) {
        boolean bad = figure.endsWith("!");
        page.append(bad ? "<td class=\"bad\">" : "<td>")
                .append(Svg.escape(figure))
                .append("</td>");
    }
}
