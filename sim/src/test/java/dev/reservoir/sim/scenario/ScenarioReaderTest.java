package dev.reservoir.sim.scenario;

import static dev.reservoir.sim.scenario.Reading.ONE_SERVICE;
import static dev.reservoir.sim.scenario.Reading.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.RefillPacing;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import dev.reservoir.sim.scenario.Scenario.WhenAway;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioReaderTest {
    private static Duration seconds(long n) {
        return Duration.ofSeconds(n);
    }

    private static Duration millis(long n) {
        return Duration.ofMillis(n);
    }

    private static Duration minutes(long n) {
        return Duration.ofMinutes(n);
    }

    @Test
    void whatIsNotSaidHasTheDefaultsOfGoAndOurs() {
        Workload idle = new Workload(
                Arrival.NONE,
                0,
                millis(200),
                5,
                0,
                Duration.ZERO,
                0,
                List.of(),
                Latency.fixed(millis(10)),
                seconds(10),
                0);
        Pool pool = new Pool(
                50,
                50,
                50,
                seconds(45),
                minutes(11),
                minutes(2),
                seconds(10),
                100,
                -1,
                minutes(2),
                RefillPacing.SMOOTH);
        Expected expected = new Expected(
                100, seconds(60), seconds(5), 200, false, null, null, null, null, null, null, false, false);
        assertThat(read(ONE_SERVICE))
                .isEqualTo(new Scenario(
                        "s",
                        42,
                        "cluster.dsql.eu-west-1.on.aws",
                        minutes(20),
                        seconds(1),
                        new Limiter(100, 1, Sharing.SHARED),
                        new Coordinator(Latency.fixed(Duration.ZERO), 0, seconds(60), WhenAway.LOCAL_SHARE),
                        new Database(
                                0,
                                0,
                                0,
                                minutes(60),
                                Latency.fixed(millis(30)),
                                Latency.fixed(millis(1)),
                                Duration.ZERO),
                        new Tokens(Duration.ZERO, minutes(1), Latency.fixed(millis(50))),
                        List.of(new Service("a", 1, pool, Duration.ZERO, Duration.ZERO, idle)),
                        List.of(),
                        expected));
    }

    @Test
    void everyKeyAtTheTopIsRead() {
        Scenario scenario = read("""
                seed: -7
                endpoint: "elsewhere: 5432"
                duration: 1h30m
                sampleEvery: 500ms
                limiterPerSec: 12.5
                burst: 10
                permits: local
                coordinator:
                  latency: 1ms..5ms
                  leaseLimit: 300
                  leaseTime: 2m
                  whenAway: stop
                  clockSkew: 2s
                  loseAnswers: 0.02
                  conflicts: 0.05
                database:
                  rate: 100
                  burst: 1_000
                  cap: 10000
                  maxAge: PT1H
                  handshake: {median: 30ms, p99: 200ms}
                  close: {mean: 2ms}
                  crashNotice: 30s
                tokens: {lifetime: 15m, renewBefore: 90s, fetch: 20ms}
                services:
                  - name: a
                """);
        assertThat(scenario.seed()).isEqualTo(-7);
        assertThat(scenario.endpoint()).isEqualTo("elsewhere: 5432");
        assertThat(scenario.duration()).isEqualTo(minutes(90));
        assertThat(scenario.sampleEvery()).isEqualTo(millis(500));
        assertThat(scenario.limiter()).isEqualTo(new Limiter(12.5, 10, Sharing.LOCAL));
        assertThat(scenario.coordinator())
                .isEqualTo(new Coordinator(
                        Latency.uniform(millis(1), millis(5)), 300, minutes(2), WhenAway.STOP, seconds(2), 0.02, 0.05));
        assertThat(scenario.database())
                .isEqualTo(new Database(
                        100,
                        1000,
                        10000,
                        minutes(60),
                        Latency.logNormal(millis(30), millis(200)),
                        Latency.exponential(millis(2)),
                        seconds(30)));
        assertThat(scenario.tokens()).isEqualTo(new Tokens(minutes(15), seconds(90), Latency.fixed(millis(20))));
        assertThat(scenario.expected().maxConnectsPerSec()).isEqualTo(13 + 10 - 1);
    }

    @Test
    void everyAssertionIsRead() {
        Expected expected = read("""
                        coordinator: {leaseLimit: 100}
                        assertMaxConnectsPerSec: 1
                        assertConvergeWithin: 2s
                        assertStableFor: 3s
                        assertMaxClosurePerSec: 4
                        assertZeroEmptyEvents: true
                        assertMaxWaitP999: 5ms
                        assertMaxWait: 0s
                        assertMaxTimeouts: 6
                        assertMinUsableShare: 0.95
                        assertMaxRefusedConnects: 0
                        assertMaxOpenConnections: 7
                        assertLeasesMatchConnections: true
                        assertPromisesKept: true
                        """ + ONE_SERVICE).expected();
        assertThat(expected)
                .isEqualTo(new Expected(
                        1, seconds(2), seconds(3), 4, true, millis(5), Duration.ZERO, 6L, 0.95, 0L, 7, true, true));
    }

    @Test
    void noneTurnsAnAssertionOff() {
        Expected expected = read("""
                        assertMaxConnectsPerSec: none
                        assertConvergeWithin: none
                        assertStableFor: none
                        assertMaxClosurePerSec: none
                        assertMaxWaitP999: none
                        assertMaxWait: none
                        assertMaxTimeouts: none
                        assertMinUsableShare: none
                        assertMaxRefusedConnects: none
                        assertMaxOpenConnections: none
                        """ + ONE_SERVICE).expected();
        assertThat(expected)
                .isEqualTo(
                        new Expected(null, null, null, null, false, null, null, null, null, null, null, false, false));
    }

    @Test
    void whoAsksForNoConvergenceIsAskedForNoStabilityUnlessHeSaysSo() {
        assertThat(read("assertConvergeWithin: none\n" + ONE_SERVICE).expected().stableFor())
                .isNull();
        assertThat(read("assertConvergeWithin: none\nassertStableFor: 5s\n" + ONE_SERVICE)
                        .expected()
                        .stableFor())
                .isEqualTo(seconds(5));
    }

    @Test
    void everyKeyOfAServiceIsRead() {
        Service service = read("""
                        services:
                          - name: history
                            instances: 3
                            instanceDelay: 2s
                            startDelay: 100ms
                            targetReady: 20
                            maxOpen: 30
                            lowWatermark: 10
                            guardWindow: 1s
                            baseLifetime: 5m
                            jitter: 0
                            connectTimeout: 3s
                            opensInFlightMax: 7
                            successorAllowance: 0
                            keepalive: 0s
                            refillPacing: off
                        """).services().get(0);
        assertThat(service)
                .isEqualTo(new Service(
                        "history",
                        3,
                        new Pool(
                                20,
                                30,
                                10,
                                seconds(1),
                                minutes(5),
                                Duration.ZERO,
                                seconds(3),
                                7,
                                0,
                                Duration.ZERO,
                                RefillPacing.OFF),
                        millis(100),
                        seconds(2),
                        Defaults.WORKLOAD));
        assertThat(service.target()).isEqualTo(60);
    }

    @Test
    void maxOpenAndLowWatermarkFollowTheTarget() {
        Pool pool =
                read("services: [{name: a, targetReady: 7}]").services().get(0).pool();
        assertThat(pool.maxOpen()).isEqualTo(7);
        assertThat(pool.lowWatermark()).isEqualTo(7);
    }

    @Test
    void defaultsApplyToEveryServiceThatSaysNothingElse() {
        List<Service> services = read("""
                        defaults:
                          instances: 2
                          targetReady: 10
                          jitter: 0s
                          workload: {arrivals: poisson, rate: 5, hold: 20ms, conflicts: 0.1}
                        services:
                          - {name: a}
                          - {name: b, targetReady: 30, workload: {rate: 50}}
                          - {name: c, instances: 1, workload: {enabled: false}}
                          - {name: d, workload: {arrivals: closed, maxInUse: 3, holdTime: 7ms}}
                        """).services();
        assertThat(services.get(0).instances()).isEqualTo(2);
        assertThat(services.get(0).pool().maxOpen()).isEqualTo(10);
        assertThat(services.get(0).pool().jitter()).isZero();
        assertThat(services.get(0).workload().arrival()).isEqualTo(Arrival.POISSON);
        assertThat(services.get(0).workload().ratePerSecond()).isEqualTo(5);
        assertThat(services.get(1).pool().maxOpen()).isEqualTo(30);
        assertThat(services.get(1).workload().ratePerSecond()).isEqualTo(50);
        assertThat(services.get(1).workload().hold()).isEqualTo(Latency.fixed(millis(20)));
        assertThat(services.get(1).workload().conflicts()).isEqualTo(0.1);
        assertThat(services.get(2).instances()).isEqualTo(1);
        assertThat(services.get(2).workload()).isEqualTo(Defaults.WORKLOAD);
        assertThat(services.get(3).workload().arrival()).isEqualTo(Arrival.CLOSED);
        assertThat(services.get(3).workload().ratePerSecond()).isZero();
        assertThat(services.get(3).workload().hold()).isEqualTo(Latency.fixed(millis(7)));
    }

    @Test
    void jsonIsReadAlikeWithTabsAndAllItsEscapes() {
        String json = "{\n\t\"seed\": 7,\n\t\"duration\": \"5m\",\n\t\"endpoint\": \"a\\/b\\u0041\","
                + "\n\t\"assertZeroEmptyEvents\": true,\n\t\"services\": [\n\t\t{\n\t\t\t\"name\":\t\"a\","
                + "\n\t\t\t\"workload\": {\"enabled\": true, \"maxInUse\": 3}\n\t\t}\n\t]\n}\n";
        Scenario scenario = read("local.json", json, null);
        assertThat(scenario.name()).isEqualTo("local");
        assertThat(scenario.endpoint()).isEqualTo("a/bA");
        assertThat(scenario).isEqualTo(read("local.yaml", """
                        seed: 7
                        duration: 5m
                        endpoint: a/bA
                        assertZeroEmptyEvents: true
                        services:
                          - name: a
                            workload: {enabled: true, maxInUse: 3}
                        """, null));
    }

    @Test
    void anchorsAndMergesOfTheOlderYamlAreTaken() {
        List<Service> services = read("""
                        services:
                          - &base {name: a, targetReady: 7, workload: &work {enabled: yes, maxInUse: 2}}
                          - <<: *base
                            name: b
                          - <<: [{jitter: 0s, targetReady: 9}, *base]
                            name: c
                            workload: *work
                        """).services();
        assertThat(services.get(1).pool().targetReady()).isEqualTo(7);
        assertThat(services.get(1).workload().maxInUse()).isEqualTo(2);
        assertThat(services.get(2).pool().targetReady()).isEqualTo(9);
        assertThat(services.get(2).pool().jitter()).isZero();
        assertThat(services.get(2).workload().maxInUse()).isEqualTo(2);
    }

    @Test
    void anEmptyMapOrListIsAsIfItWereNotThere() {
        assertThat(read("database:\nfaults: []\ntokens: ~\nservices:\n- name: a\n  workload:\n"))
                .isEqualTo(read(ONE_SERVICE));
    }

    @Test
    void aFileIsReadByItsNameWithoutItsEnding(@TempDir Path folder) throws Exception {
        for (String name : List.of("my.plan.yaml", "my.plan.yml", "my.plan.json")) {
            Path file = Files.writeString(folder.resolve(name), "\uFEFF{\"services\": [{\"name\": \"ü\"}]}");
            Scenario scenario = ScenarioReader.read(file);
            assertThat(scenario.name()).isEqualTo("my.plan");
            assertThat(scenario.services().get(0).name()).isEqualTo("ü");
        }
    }

    @Test
    void aFileThatCannotBeReadIsNoMistakeOfItsAuthor(@TempDir Path folder) {
        assertThatThrownBy(() -> ScenarioReader.read(folder.resolve("none.yaml")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aFileInAnotherEncodingAndAFileThatIsTooLargeAreRefused(@TempDir Path folder) throws IOException {
        Path latin = Files.write(folder.resolve("latin.yaml"), "# ü\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> ScenarioReader.read(latin))
                .isInstanceOf(ScenarioException.class)
                .hasMessage("latin.yaml:1:1: cannot be read: the file is not in UTF-8; allowed: UTF-8");
        Path large = Files.write(folder.resolve("large.yaml"), new byte[10_000_001]);
        assertThatThrownBy(() -> ScenarioReader.read(large))
                .isInstanceOf(ScenarioException.class)
                .hasMessage("large.yaml:1:1: cannot be read: the file has 10000001 bytes; allowed: at most 10000000");
    }
}
