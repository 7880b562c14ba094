package dev.reservoir.sim.file;

import static dev.reservoir.sim.file.Reading.ONE_SERVICE;
import static dev.reservoir.sim.file.Reading.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Workload;
import dev.reservoir.sim.scenario.ScenarioKeys;
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
        Scenario scenario = read(ONE_SERVICE);
        assertThat(scenario.name()).isEqualTo("s");
        assertThat(scenario.seed()).isEqualTo(42);
        assertThat(scenario.endpoint()).isEqualTo("cluster.dsql.eu-west-1.on.aws");
        assertThat(scenario.duration()).isEqualTo(minutes(20));
        assertThat(scenario.sampleEvery()).isEqualTo(seconds(1));
        assertThat(scenario.limiter()).hasToString("Limiter[perSecond=100.0, burst=1, sharing=SHARED]");
        assertThat(scenario.coordinator())
                .hasToString("Coordinator[latency=0 us, leaseLimit=0, leaseTime=PT1M, whenAway=LOCAL_SHARE,"
                        + " clockSkew=PT0S, loseAnswers=0.0, conflicts=0.0]");
        assertThat(scenario.database())
                .hasToString("Database[ratePerSecond=0.0, burst=0, cap=0, maxAge=PT1H, handshake=30 ms,"
                        + " close=1 ms, crashNotice=PT0S, closedHeldFor=PT0S]");
        assertThat(scenario.tokens()).hasToString("Tokens[lifetime=PT0S, renewBefore=PT1M, fetch=50 ms]");
        assertThat(scenario.faults()).isEmpty();
        assertThat(scenario.expected())
                .hasToString("Expected[maxConnectsPerSec=100, convergeWithin=PT1M, stableFor=PT5S,"
                        + " maxClosurePerSec=200, zeroEmptyEvents=false, maxWaitP999=null, maxWait=null,"
                        + " maxTimeouts=null, minUsableShare=null, maxRefusedConnects=null, maxOpenConnections=null,"
                        + " leasesMatchConnections=false, promisesKept=false]");
        assertThat(scenario.services()).hasSize(1);
        Service service = scenario.services().get(0);
        assertThat(service.name()).isEqualTo("a");
        assertThat(service.instances()).isEqualTo(1);
        assertThat(service.startDelay()).isZero();
        assertThat(service.instanceDelay()).isZero();
        assertThat(service.pool())
                .hasToString("Pool[targetReady=50, maxOpen=50, lowWatermark=50, guardWindow=PT45S,"
                        + " shortestLifetime=PT11M, jitter=PT2M, connectTimeout=PT10S, opensInFlightMax=100,"
                        + " successorAllowance=-1, keepalive=PT2M, refillPacing=SMOOTH]");
        assertThat(service.workload())
                .hasToString("Workload[arrival=NONE, maxInUse=0, spawnEvery=PT0.2S, arrivalBurst=5,"
                        + " ratePerSecond=0.0, burstEvery=PT0S, burstSize=0, recorded=[], hold=10 ms, maxWait=PT10S,"
                        + " conflicts=0.0]");
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
                  closedHeldFor: 15m
                tokens: {lifetime: 15m, renewBefore: 90s, fetch: 20ms}
                services:
                  - name: a
                """);
        assertThat(scenario.seed()).isEqualTo(-7);
        assertThat(scenario.endpoint()).isEqualTo("elsewhere: 5432");
        assertThat(scenario.duration()).isEqualTo(minutes(90));
        assertThat(scenario.sampleEvery()).isEqualTo(millis(500));
        assertThat(scenario.limiter()).hasToString("Limiter[perSecond=12.5, burst=10, sharing=LOCAL]");
        assertThat(scenario.coordinator())
                .hasToString("Coordinator[latency=1 ms to 5 ms, leaseLimit=300, leaseTime=PT2M, whenAway=STOP,"
                        + " clockSkew=PT2S, loseAnswers=0.02, conflicts=0.05]");
        assertThat(scenario.database())
                .hasToString("Database[ratePerSecond=100.0, burst=1000, cap=10000, maxAge=PT1H,"
                        + " handshake=median 30 ms, p99 200 ms, close=mean 2 ms, exponential, crashNotice=PT30S,"
                        + " closedHeldFor=PT15M]");
        assertThat(scenario.tokens()).hasToString("Tokens[lifetime=PT15M, renewBefore=PT1M30S, fetch=20 ms]");
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
                .hasToString("Expected[maxConnectsPerSec=1, convergeWithin=PT2S, stableFor=PT3S, maxClosurePerSec=4,"
                        + " zeroEmptyEvents=true, maxWaitP999=PT0.005S, maxWait=PT0S, maxTimeouts=6,"
                        + " minUsableShare=0.95, maxRefusedConnects=0, maxOpenConnections=7,"
                        + " leasesMatchConnections=true, promisesKept=true]");
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
                .hasToString("Expected[maxConnectsPerSec=null, convergeWithin=null, stableFor=null,"
                        + " maxClosurePerSec=null, zeroEmptyEvents=false, maxWaitP999=null, maxWait=null,"
                        + " maxTimeouts=null, minUsableShare=null, maxRefusedConnects=null, maxOpenConnections=null,"
                        + " leasesMatchConnections=false, promisesKept=false]");
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
        assertThat(service.name()).isEqualTo("history");
        assertThat(service.instances()).isEqualTo(3);
        assertThat(service.pool())
                .hasToString("Pool[targetReady=20, maxOpen=30, lowWatermark=10, guardWindow=PT1S,"
                        + " shortestLifetime=PT5M, jitter=PT0S, connectTimeout=PT3S, opensInFlightMax=7,"
                        + " successorAllowance=0, keepalive=PT0S, refillPacing=OFF]");
        assertThat(service.startDelay()).isEqualTo(millis(100));
        assertThat(service.instanceDelay()).isEqualTo(seconds(2));
        assertThat(service.workload()).isEqualTo(ScenarioKeys.defaults(Workload.class));
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
        assertThat(services.get(2).workload()).isEqualTo(ScenarioKeys.defaults(Workload.class));
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
