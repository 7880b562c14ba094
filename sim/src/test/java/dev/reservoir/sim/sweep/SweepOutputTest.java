package dev.reservoir.sim.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.result.Outcome.Waits;
import dev.reservoir.sim.scenario.Scenario;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/** The outputs of a sweep, from results that are made by hand. */
class SweepOutputTest {
    private static final Scenario SCENARIO = ScenarioChangesTest.scenario("services: [{name: a}]");

    /** A run that converged after as many seconds as the target has connections. Up to 30 s is in time. */
    private static Combination combination(List<Vary.Value> values) {
        int seconds = values.get(0).number().intValueExact();
        Figures figures = new Figures(
                seconds > 40 ? -1 : seconds * 1_000_000_000L,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                9,
                10,
                11,
                12,
                13,
                0.5,
                new Waits(14, 15_000, 16_000, 17_000, 18_000));
        List<Verdict> verdicts = List.of(
                new Verdict("assertConvergeWithin", seconds <= 30, "within 30 s", seconds + " s"),
                new Verdict("assertMinUsableShare", true, "at least 10 %", "50.0 %, a at 3 s"),
                new Verdict("assertPromisesKept", true, "all", "all kept"));
        return new Combination(values, SCENARIO.expected(), figures, verdicts, null);
    }

    private static SweepResult result(String... varied) {
        List<Vary> settings = List.of(varied).stream().map(Vary::parse).toList();
        List<List<Vary.Value>> all = List.of(List.of());
        for (Vary vary : settings) {
            List<List<Vary.Value>> longer = new ArrayList<>();
            for (List<Vary.Value> head : all) {
                for (Vary.Value value : vary.values()) {
                    List<Vary.Value> values = new ArrayList<>(head);
                    values.add(value);
                    longer.add(values);
                }
            }
            all = longer;
        }
        return new SweepResult(
                SCENARIO,
                PoolKind.RESERVOIR,
                settings,
                all.stream().map(SweepOutputTest::combination).toList());
    }

    private static String html(SweepResult result) throws IOException {
        StringBuilder text = new StringBuilder();
        SweepReport.write(result, text);
        return text.toString();
    }

    private static int count(String text, String part) {
        return (text.length() - text.replace(part, "").length()) / part.length();
    }

    @Test
    void theCsvHasSettingsVerdictFiguresAndReasons() throws IOException {
        StringBuilder text = new StringBuilder();
        result("target=20,50", "inUse=1").writeCsv(text);

        assertThat(text.toString())
                .isEqualTo("target,in_use,meets,converged_at_seconds,connects,most_connects_per_second,refused,"
                        + "open_failures,refills,closures,most_closures_per_second,most_open,checkouts,empty_events,"
                        + "timeouts,failed_work,smallest_usable_share,wait_p50_micros,wait_p99_micros,"
                        + "wait_p999_micros,wait_max_micros,why_not\n"
                        + "20,1,true,20,2,3,4,5,6,7,8,9,10,11,12,13,0.5,15,16,17,18,\n"
                        + "50,1,false,,2,3,4,5,6,7,8,9,10,11,12,13,0.5,15,16,17,18,"
                        + "assertConvergeWithin: 50 s (expected within 30 s)\n");
    }

    @Test
    void theJsonNamesTheSmallest() throws IOException {
        StringBuilder text = new StringBuilder();
        result("jitter=20ns,50ns").writeJson(text);

        assertThat(text.toString()).startsWith("""
                {
                  "scenario": "test",
                  "pool": "reservoir",
                  "seed": 42,
                  "meeting": 1,
                  "smallest": {
                    "jitter": "20ns"
                  },
                  "combinations": [
                    {
                      "settings": {
                        "jitter": "20ns"
                      },
                      "meets": true,
                      "figures": {
                        "convergedAtSeconds": 20,
                """);
    }

    @Test
    void theJsonSaysWhenNoneMeets() throws IOException {
        StringBuilder text = new StringBuilder();
        result("target=40,50").writeJson(text);

        assertThat(text.toString()).contains("\"meeting\": 0,\n  \"smallest\": null,");
    }

    @Test
    void oneSettingGivesALineForEachFigure() throws IOException {
        String page = html(result("target=10..50:10"));

        assertThat(count(page, "<svg ")).isEqualTo(2);
        assertThat(page)
                .contains("seconds until every service had its target", "smallest usable share")
                .contains("The smallest setting that meets everything: <b class=\"ok\">target=10</b>")
                .contains("<title>target 40: 40 s, expected within 30 s</title>");
        assertThat(count(page, "<circle ")).isEqualTo(3 + 5);
        assertThat(count(page, "<rect ")).isEqualTo(1);
        assertThat(page).as("50 never converged").contains(">x<title>target 50: 50 s");
    }

    @Test
    void twoSettingsGiveAGrid() throws IOException {
        String page = html(result("target=10..50:10", "burst=0,1000"));

        assertThat(count(page, "class=\"grid\"")).isEqualTo(1);
        assertThat(count(page, "<td class=\"meets") + count(page, "<td class=\"fails"))
                .isEqualTo(10);
        assertThat(count(page, "<td class=\"meets smallest")).isEqualTo(1);
        assertThat(page)
                .contains(
                        "title=\"target=40, burst=0\nDOES NOT HOLD: assertConvergeWithin: 40 s (expected within 30 s)");
        assertThat(count(page, "\u2713")).isEqualTo(6);
        assertThat(page).contains("by target (down) and burst (across)");
    }

    @Test
    void moreSettingsGiveAGridForEachCombinationOfTheOthers() throws IOException {
        String page = html(result("target=10,50", "rate=1..30", "burst=0,1000", "cap=0,5"));

        assertThat(count(page, "class=\"grid\"")).isEqualTo(24);
        assertThat(page)
                .contains("<h2>target = 10, rate = 1</h2>")
                .contains("36 more grids are not drawn; the table has everything.");
        assertThat(count(page, "<tr><td>")).isEqualTo(240);
    }

    @Test
    void aVeryLargeGridStaysSmallEnough() throws IOException {
        String page = html(result("target=1..100", "rate=1..100"));

        assertThat(count(page, "class=\"grid many\"")).isEqualTo(1);
        assertThat(count(page, "<td class=\"meets") + count(page, "<td class=\"fails"))
                .isEqualTo(10_000);
        assertThat(page.length()).isLessThan(12_000_000);
    }

    @Test
    void thePageNeedsNothingElse() throws IOException {
        String page = html(result("target=10,50", "burst=0,1000"));

        assertThat(page.replace("http://www.w3.org/2000/svg", ""))
                .doesNotContain("http:", "https:", "src=", "href=", "@import", "url(", "<script");
    }

    @Test
    void picturesAreWellFormed() throws Exception {
        for (String page : List.of(html(result("target=10,50")), html(result("target=10,50", "burst=0,1000")))) {
            Matcher svg = Pattern.compile("(?s)<svg .*?</svg>|<table class=\"grid.*?</table>")
                    .matcher(page);
            assertThat(svg.find()).isTrue();
            do {
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(svg.group())));
            } while (svg.find());
        }
    }

    @Test
    void namesAreEscaped() throws IOException {
        Scenario named = SCENARIO.withName("<b>&'\"");
        SweepResult plain = result("target=10");

        assertThat(html(new SweepResult(named, plain.pool(), plain.varied(), plain.combinations())))
                .contains("<h1>Sweep of &lt;b&gt;&amp;&#39;&quot;</h1>")
                .doesNotContain("<b>&");
    }

    @Test
    void topsOfAxesAreRound() {
        assertThat(LineChart.niceTop(0)).isEqualTo(1);
        assertThat(LineChart.niceTop(0.07)).isEqualTo(0.08);
        assertThat(LineChart.niceTop(1)).isEqualTo(1);
        assertThat(LineChart.niceTop(61)).isEqualTo(80);
        assertThat(LineChart.niceTop(999)).isEqualTo(1000);
    }

    @Test
    void aFigureIsShownAsItsVerdictHasIt() {
        assertThat(result("target=10").combinations().get(0).figure("assertMinUsableShare"))
                .isEqualTo("50.0 %");
        assertThat(result("target=10").combinations().get(0).figure("assertPromisesKept"))
                .isEqualTo("yes");
        assertThat(result("target=10").combinations().get(0).figure("assertMaxWait"))
                .isEqualTo("-");
    }
}
