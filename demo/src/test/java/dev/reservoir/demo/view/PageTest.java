package dev.reservoir.demo.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.demo.Demo;
import dev.reservoir.demo.fault.Fault;
import dev.reservoir.testkit.Browser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The page in a real browser, every button pressed, and its effect seen in the numbers. One demo for all, in this
 * order: a fault takes a while to end, and most faults do not disturb the next.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PageTest {
    private static Browser browser;
    private static Demo demo;
    private static Page page;

    @BeforeAll
    static void start() throws IOException {
        browser = Browser.start(1290);
        demo = Demo.start(null);
        page = Page.start(demo, Page.bind(0), "The demo injects no fault by itself.");
        browser.open(page.address(), "return document.querySelectorAll('.side').length === 2");
        browser.until("return snapshots.at(-1).sides[0].open === 45");
    }

    @AfterAll
    static void stop() {
        if (page != null) {
            page.close();
        }
        if (demo != null) {
            demo.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    private static void press(String fault) {
        browser.until("return !document.querySelector('[data-fault=" + fault + "] button').disabled");
        browser.find("[data-fault=" + fault + "] button").click();
    }

    private static String outputOf(String fault) {
        return browser.find("[data-fault=" + fault + "] output").getText();
    }

    private static void picture(String name) throws IOException {
        Path folder = Files.createDirectories(Path.of("target", "pictures"));
        browser.picture(folder.resolve(name + ".png"));
    }

    @Test
    @Order(1)
    void showsBothSidesWithoutErrorsAndAsksNobodyElse() {
        browser.until(
                "return snapshots.at(-1).sides.every(side => side.workflowsPerSecond > 0 && side.latency.p99Millis > 0)");

        assertThat(browser.find("#sides").getText()).contains("Reservoir", "HikariCP", "history-1", "history-3");
        assertThat(browser.find("[data-side='0'] [data-figure=refused]").getText())
                .isEqualTo("0");
        assertThat(browser.find(".budget").getText()).contains("of 60", "by 3 members");
        browser.until("return document.querySelectorAll('[data-side=\"0\"] .cells i.ready, "
                + "[data-side=\"0\"] .cells i.inUse').length === 45");
        assertThat(browser.find("#about").getText()).contains("5 new connections a second");
        assertThat(browser.errors()).isEmpty();
        assertThat(browser.requests())
                .isNotEmpty()
                .allMatch(address -> address.startsWith(page.address()) || address.startsWith("data:"));
    }

    @Test
    @Order(2)
    void aMassDropCostsAllConnectionsAndSaysWhenTheyAreBack() {
        press("mass-drop");

        String after = "snapshots.filter(snapshot => snapshot.events.length > 0)";
        browser.until("return " + after + ".some(snapshot => snapshot.sides[0].open < 30) && " + after
                + ".some(snapshot => snapshot.sides[1].open < 20)");
        browser.until("return snapshots.at(-1).faults[0].outcome.startsWith('full again')");
        browser.until("return snapshots.at(-1).sides[0].open >= 45");
        assertThat(outputOf("mass-drop")).containsPattern("Reservoir 4[5-9] connections after .* HikariCP");
        browser.until("return refused(snapshots.at(-1).sides[0]) === 0");
        assertThat(browser.find("#events").getText()).containsPattern("Mass drop: Reservoir lost 4[5-9] connections");
    }

    @Test
    @Order(3)
    void aCrashTakesAServiceDownOnBothSides() throws IOException {
        press("service-crash");
        browser.until("return snapshots.at(-1).sides.every(side => side.services[0].state === 'crashed')");
        picture("crash");

        assertThat(outputOf("service-crash")).isNotBlank();
        assertThat(browser.find("[data-side='0'] [data-service=history-1]").getText())
                .contains("crashed");
        assertThat(browser.find("[data-fault=service-crash] button").isEnabled())
                .isFalse();
    }

    @Test
    @Order(4)
    void tokenTroubleIsCountedOnBothSidesAndEnds() {
        press("token-trouble");
        browser.until("return snapshots.at(-1).faults[2].secondsLeft > 0");
        // The answer to the request may arrive after the first snapshot and stay until the next one.
        browser.until("return document.querySelector('[data-fault=token-trouble] output')"
                + ".textContent.startsWith('over in')");

        // The connects of the service that starts again are refused.
        browser.until("return snapshots.at(-1).sides.every(side => side.refused.byToken > 0)");
        browser.until("return document.querySelector('[data-side=\"0\"] [data-figure=refused]').className === 'bad'");
        browser.until("return snapshots.at(-1).faults[2].outcome.startsWith('over after')");
    }

    @Test
    @Order(5)
    void theLeasesOfTheDeadAreTakenBackAndItsSuccessorHasItsOwn() {
        browser.until("return snapshots.at(-1).cluster.takenBack > 0");
        browser.until("return document.querySelector('.budget').textContent.includes('taken back from dead members')");
        browser.until(
                "return snapshots.at(-1).sides.every(side => side.services.every(one => one.state === 'running'))");
        browser.until("return snapshots.at(-1).faults[4].outcome.startsWith('back and full')");
        assertThat(number("cluster.leases")).isLessThanOrEqualTo(60);
    }

    @Test
    @Order(6)
    void anOutageOfTheCoordinatorAndARateSqueezeAreSeenAndStopNothing() throws IOException {
        press("coordinator-outage");
        browser.until("return snapshots.at(-1).cluster.away");
        browser.until("return document.querySelector('.budget').textContent.includes('DynamoDB is away')");
        long completed = number("sides[0].completed");
        browser.until("return snapshots.at(-1).sides[0].completed > " + (completed + 10));
        picture("outage");

        press("rate-squeeze");
        browser.until("return snapshots.at(-1).ratePerSecond === 0.5");
        // Only whoever needs a connection notices.
        long refused = number("sides[1].refused.byRate");
        press("mass-drop");
        browser.until("return snapshots.at(-1).sides[1].refused.byRate > " + refused);
        browser.until(
                "return snapshots.at(-1).ratePerSecond === 5 && snapshots.at(-1).faults[1].outcome.startsWith('over after')");
        browser.until(
                "return snapshots.at(-1).faults[3].outcome.startsWith('over after') && !snapshots.at(-1).cluster.away");
        picture("light");
    }

    @Test
    @Order(7)
    void thePageIsDarkForThoseWhoLikeItDark() throws IOException {
        browser.prefers("dark");
        browser.until("return getComputedStyle(document.body).backgroundColor === 'rgb(18, 21, 26)'");
        browser.until("return charts[0].options.scales.x.ticks.color === '#a3adb9'");
        picture("dark");
        browser.prefers("light");
        browser.until("return getComputedStyle(document.body).backgroundColor === 'rgb(246, 247, 249)'");
    }

    @Test
    @Order(8)
    void onlyThePageItselfMayInjectFaults() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        URI drop = URI.create(page.address() + "fault/mass-drop");
        int events = demo.faults().events().size();

        assertThat(client.send(
                                HttpRequest.newBuilder(drop)
                                        .POST(BodyPublishers.noBody())
                                        .build(),
                                BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(403);
        assertThat(client.send(HttpRequest.newBuilder(drop).build(), BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(404);
        HttpResponse<String> elsewhere = client.send(
                HttpRequest.newBuilder(URI.create(page.address().replace("127.0.0.1", "localhost")))
                        .build(),
                BodyHandlers.ofString());
        assertThat(elsewhere.statusCode()).isEqualTo(403);
        assertThat(demo.faults().events()).hasSize(events);
    }

    @Test
    @Order(9)
    void theEndIsShown() {
        page.close();

        browser.until("return document.body.classList.contains('over')");
        assertThat(browser.find("#time").getText()).endsWith("over");
    }

    @Test
    @Order(10)
    void noFaultIsInjectedAfterTheEnd() {
        DemoSummary summary = demo.finish();

        assertThat(demo.faults().begin(Fault.COORDINATOR_OUTAGE))
                .isEqualTo("Coordinator outage not injected: the demo has ended");
        assertThat(summary.leases().left()).isZero();
    }

    /** A number of the last snapshot, such as {@code sides[0].open}. */
    private static long number(String path) {
        return Math.round(((Number) browser.js("return snapshots.at(-1)." + path)).doubleValue());
    }
}
