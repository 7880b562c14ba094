package dev.reservoir.sim.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.testkit.Browser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Looks at the report in a real browser, with pointer and keys. */
class HtmlReportBrowserTest {
    /** The ranges of all time charts, as text. */
    private static final String RANGES = """
            return [...document.querySelectorAll('canvas:not([data-chart=ages])')]
                .map(canvas => Chart.getChart(canvas).scales.x)
                .map(axis => axis.min.toFixed(3) + ' to ' + axis.max.toFixed(3));
            """;

    /** The first series of a chart that has values, if its colour is not visible. Later series may be behind it. */
    private static final String UNSEEN = """
            const { width, height } = arguments[0];
            const pixels = arguments[0].getContext('2d').getImageData(0, 0, width, height).data;
            const seen = hue => {
              const [red, green, blue] = [1, 3, 5].map(i => parseInt(hue.slice(i, i + 2), 16));
              for (let i = 0; i < pixels.length; i += 4) {
                if (pixels[i + 3] > 100 && Math.abs(pixels[i] - red) < 12 && Math.abs(pixels[i + 1] - green) < 12
                    && Math.abs(pixels[i + 2] - blue) < 12) {
                  return true;
                }
              }
              return false;
            };
            return Chart.getChart(arguments[0]).data.datasets
                .filter(set => set.data.filter(point => point.y > 0).length > 10)
                .slice(0, 1)
                .filter(set => !seen(set.borderColor))
                .map(set => set.label);
            """;

    private static final String TIP_IS_SHOWN = "return !document.getElementById('tip').hidden";

    private static final Scenario BUSY = Examples.busy("busy", 2);

    @TempDir
    private static Path files;

    private static Browser browser;
    private static Outcome reservoir;
    private static String page;

    @BeforeAll
    static void start() {
        browser = Browser.start(1000);
        reservoir = Examples.run(BUSY, PoolKind.RESERVOIR);
        page = Examples.page(reservoir);
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
    }

    @Test
    void thePageShowsItselfWithoutErrorsAndAsksForNothing() throws IOException {
        open(page);

        assertThat(browser.errors()).isEmpty();
        assertThat(browser.requests()).singleElement().asString().startsWith("file:");
        assertThat(browser.find("h1").getText()).contains("busy");
        assertThat(browser.findAll("#verdicts tbody tr")).hasSameSizeAs(reservoir.verdicts());
        assertThat(browser.find("#verdicts").getText()).contains("✓ held").contains("✗ did not hold");
        assertThat(browser.findAll(".services tbody tr")).hasSize(4);
    }

    @Test
    void everyChartIsDrawn() throws IOException {
        open(page);

        List<WebElement> canvases = browser.findAll("canvas");
        assertThat(canvases).hasSizeGreaterThanOrEqualTo(8);
        for (WebElement canvas : canvases) {
            assertThat((List<?>) browser.js(UNSEEN, canvas))
                    .as("not to be seen in " + canvas.getAttribute("data-chart"))
                    .isEmpty();
        }
    }

    @Test
    void choosingAServiceShowsItsNumbers() throws IOException {
        open(page);
        assertThat(lastReady())
                .isEqualTo(reservoir.last().stream().mapToLong(Sample::ready).sum());

        browser.find("#services summary").click();
        browser.find("button[aria-label='Choose no service']").click();
        assertThat(lastReady()).isZero();
        browser.find(".pick input[value=worker]").click();

        assertThat(lastReady()).isEqualTo(reservoir.last().get(3).ready());
        assertThat(browser.find("#chosen").getText()).isEqualTo("worker");
        assertThat(browser.find("#connects .note").getText()).contains("services chosen");
        assertThat(browser.errors()).isEmpty();
    }

    private long lastReady() {
        return (Long)
                browser.js(
                        "return Chart.getChart(document.querySelector('[data-chart=connections]')).data.datasets[0].data.at(-1).y");
    }

    @Test
    void draggingZoomsAllChartsAndDoubleClickResets() throws IOException {
        open(page);
        String whole = "0.000 to 120.000";
        assertThat(ranges()).containsOnly(whole);

        WebElement chart = chart("waits");
        browser.act()
                .moveToElement(chart, -100, 0)
                .clickAndHold()
                .moveByOffset(60, 5)
                .moveByOffset(60, -5)
                .release()
                .perform();
        browser.until("return !document.getElementById('range').textContent.startsWith('0:00 to')");
        assertThat(ranges().stream().distinct()).hasSize(1).doesNotContain(whole);
        assertThat(browser.findAll(".drag:not([hidden])")).isEmpty();

        browser.act().moveToElement(chart("connections")).doubleClick().perform();
        browser.until("return document.getElementById('range').textContent === '0:00 to 2:00'");
        assertThat(ranges()).containsOnly(whole);
    }

    @Test
    void buttonsZoomToo() throws IOException {
        open(page);

        browser.find("button[aria-label='Zoom in']").click();
        assertThat(ranges()).containsOnly("30.000 to 90.000");
        browser.find("button[aria-label=Later]").click();
        assertThat(ranges()).containsOnly("60.000 to 120.000");
        browser.find("button[aria-label='Show the whole run']").click();
        assertThat(ranges()).containsOnly("0.000 to 120.000");
    }

    private List<String> ranges() {
        return ((List<?>) browser.js(RANGES)).stream().map(String::valueOf).toList();
    }

    @Test
    void eventsTellTheirTextWhereTheyAreMarked() throws IOException {
        open(page);
        Mark drop = reservoir.marks().stream()
                .filter(mark -> mark.text().contains("drops"))
                .findFirst()
                .orElseThrow();

        for (String name : List.of("connections", "connects", "waits", "discards")) {
            WebElement chart = chart(name);
            long x = Math.round(((Number) browser.js("""
                            const chart = Chart.getChart(arguments[0]);
                            return chart.scales.x.getPixelForValue(arguments[1]) - chart.width / 2;
                            """, chart, drop.atNanos() / 1e9)).doubleValue());
            browser.until(
                    () -> browser.act()
                            .moveToElement(chart, 0, 0)
                            .moveToElement(chart, (int) x, 10)
                            .perform(),
                    TIP_IS_SHOWN + " && document.getElementById('tip').textContent.includes(arguments[0])",
                    drop.text());
        }
        assertThat(browser.findAll(".events tbody tr")).hasSameSizeAs(reservoir.marks());
    }

    @Test
    void arrowKeysReadValues() throws IOException {
        open(page);
        WebElement chart = chart("connections");
        browser.js("arguments[0].focus()", chart);

        browser.until(
                () -> browser.act().sendKeys(Keys.ARROW_RIGHT).perform(),
                TIP_IS_SHOWN + " && document.getElementById('tip').textContent.includes('ready')");
        browser.act().sendKeys("+").perform();
        assertThat(ranges()).containsOnly("30.000 to 90.000");
        browser.act().sendKeys("0").perform();
        assertThat(ranges()).containsOnly("0.000 to 120.000");
    }

    @Test
    void countsCanBeSummedUp() throws IOException {
        open(page);
        browser.find("input[name=counts][value=cumulative]").click();

        Object empties = browser.js(
                "return Chart.getChart(document.querySelector('[data-chart=nothing]')).data.datasets[0].data.at(-1).y");
        assertThat(empties)
                .isEqualTo(
                        reservoir.last().stream().mapToLong(Sample::emptyEvents).sum());
        assertThat(browser.find("#nothing .note").getText()).contains("Since the beginning");
    }

    @Test
    void theLegendHidesASeries() throws IOException {
        open(page);
        chart("connections");
        WebElement inUse = browser.find("[data-key='connections/inUse']");
        inUse.click();

        assertThat(inUse.getAttribute("aria-pressed")).isEqualTo("false");
        assertThat(browser.js("return Chart.getChart(document.querySelector('[data-chart=connections]'))"
                        + ".data.datasets.map(set => set.label).includes('in use')"))
                .isEqualTo(false);
    }

    @Test
    void severalOutcomesStandInColumnsWithTheSameAxes() throws IOException {
        open(Examples.page(reservoir, Examples.run(BUSY, PoolKind.GO_RESERVOIR), Examples.run(BUSY, PoolKind.PLAIN)));

        assertThat(browser.errors()).isEmpty();
        assertThat(browser.js("return document.querySelector('#head table').id"))
                .isEqualTo("differences");
        assertThat(browser.find("#differences thead").getText()).contains("reservoir", "go-reservoir", "plain");
        assertThat(browser.find("#differences").getText()).contains("best");
        for (WebElement section : browser.findAll("#charts > section")) {
            assertThat(browser.js("return arguments[0].querySelectorAll('canvas').length", section))
                    .isEqualTo(3L);
            List<?> axes = (List<?>) browser.js("""
                    return [...arguments[0].querySelectorAll('canvas')].map(canvas => Chart.getChart(canvas).scales)
                        .map(({ x, y }) => [x.min, x.max, y.min, y.max].join());
                    """, section);
            assertThat(axes.stream().distinct()).as(section.getAttribute("id")).hasSize(1);
        }
    }

    @Test
    void thePageIsDarkForThoseWhoLikeItDark() throws IOException {
        open(page);
        String colours = """
                return getComputedStyle(document.body).backgroundColor + ' '
                    + Chart.getChart(document.querySelector('canvas')).options.scales.x.ticks.color;
                """;
        browser.prefers("light");
        browser.until("return getComputedStyle(document.body).backgroundColor === 'rgb(246, 247, 249)'");
        Object light = browser.js(colours);
        browser.prefers("dark");
        browser.until("return getComputedStyle(document.body).backgroundColor === 'rgb(18, 21, 26)'");

        browser.until(
                "const now = (() => {" + colours + "})(); return now !== arguments[0] && now.endsWith('#a3adb9')",
                light);
        browser.prefers("light");
    }

    /** Opens a page from a file. */
    private static void open(String page) throws IOException {
        Path file = Files.writeString(Files.createTempFile(files, "report", ".html"), page);
        browser.open(
                file.toUri().toString(),
                "return document.querySelectorAll('canvas').length > 0 && document.readyState === 'complete'");
    }

    /** Brings a chart into sight. */
    private static WebElement chart(String name) {
        WebElement canvas = browser.find("canvas[data-chart=" + name + "]");
        browser.js("arguments[0].scrollIntoView({ block: 'center' })", canvas);
        return canvas;
    }
}
