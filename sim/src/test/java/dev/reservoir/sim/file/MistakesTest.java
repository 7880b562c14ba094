package dev.reservoir.sim.file;

import static dev.reservoir.sim.file.Reading.ONE_SERVICE;
import static dev.reservoir.sim.file.Reading.mistakes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.file.Mistake.Kind;
import dev.reservoir.sim.scenario.ScenarioKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MistakesTest {
    private static final String DURATION = "a duration such as 90s or 1m30s, ";

    @Test
    void everyMistakeOfAFileIsToldAtOnce() {
        String text = """
                seed: x
                seed: 3
                duration: 20x
                limiterPerSec: 0
                permits: shard
                cap: 10000
                unheardOf: 1
                database: [rate, 100]
                tokens: {lifetime: 15, fetch: 9ms..1ms}
                scenario:
                  dropFracton: 0.5
                defaults: {jitter: 30m}
                services:
                  - {name: a, targetReady: 50, maxOpen: 40, lowWatermark: 60}
                  - {name: a, guardWindow: 11m}
                  - {targetReady: ten, workload: {enabled: maybe}}
                  - b
                faults:
                  - {at: 1m, kind: drop, services: [c], fraction: 1.5}
                assertMaxWait: -1s
                assertLeasesMatchConnections: true
                """;
        assertThat(mistakes(text))
                .containsExactly(
                        "s.yaml:1:7: seed is 'x'; allowed: a whole number",
                        "s.yaml:2:1: seed is given twice, first in line 1; allowed: once",
                        "s.yaml:3:11: duration is '20x'; allowed: " + DURATION + "more than 0",
                        "s.yaml:4:16: limiterPerSec is '0'; allowed: a number from 0.001 to 1000000",
                        "s.yaml:5:10: permits is 'shard'; allowed: one of shared, local, none; did you mean shared?",
                        "s.yaml:6:1: cap has no meaning here; allowed: in database",
                        "s.yaml:7:1: unheardOf: unknown key; allowed: " + String.join(", ", ScenarioKeys.TOP.names()),
                        "s.yaml:8:11: database is a list; allowed: a map with rate, burst, cap, maxAge, handshake, close,"
                                + " crashNotice, closedHeldFor",
                        "s.yaml:9:20: lifetime is '15'; allowed: " + DURATION + "0s or more",
                        "s.yaml:9:31: fetch is '9ms..1ms'; allowed: a duration such as 30ms, a range such as 10ms..50ms,"
                                + " {median: 30ms, p99: 200ms} or {mean: 20ms}",
                        "s.yaml:11:3: dropFracton: unknown key; did you mean dropFraction?",
                        "s.yaml:12:20: jitter is '30m'; allowed: a duration, at most twice baseLifetime (11m)",
                        "s.yaml:14:41: maxOpen is '40'; allowed: a whole number, at least targetReady (50)",
                        "s.yaml:14:59: lowWatermark is '60'; allowed: a whole number, at most targetReady (50)",
                        "s.yaml:15:12: the service a is given twice, first in line 14; allowed: once",
                        "s.yaml:15:28: guardWindow is '11m'; allowed: a duration less than baseLifetime (11m)",
                        "s.yaml:16:5: name is missing; allowed: a name for the service",
                        "s.yaml:16:19: targetReady is 'ten'; allowed: a whole number from 1 to 100000",
                        "s.yaml:16:44: enabled is 'maybe'; allowed: true or false",
                        "s.yaml:17:5: a service is a single value; allowed: a map with "
                                + String.join(", ", ScenarioKeys.SERVICE.names()),
                        "s.yaml:17:5: name is missing; allowed: a name for the service",
                        "s.yaml:19:37: services is 'c'; allowed: one of a",
                        "s.yaml:19:51: fraction is '1.5'; allowed: a number from 0 to 1",
                        "s.yaml:20:16: assertMaxWait is '-1s'; allowed: " + DURATION + "0s or more, or none",
                        "s.yaml:21:31: assertLeasesMatchConnections is 'true'; allowed: false, or true with a coordinator"
                                + " that has a leaseLimit");
    }

    @Test
    void aMistakeHasItsParts() {
        Mistake mistake = Reading.found("duration: 20x\n" + ONE_SERVICE, null).get(0);
        assertThat(mistake.file()).isEqualTo("s.yaml");
        assertThat(mistake.line()).isEqualTo(1);
        assertThat(mistake.column()).isEqualTo(11);
        assertThat(mistake.kind()).isEqualTo(Kind.VALUE);
        assertThat(mistake.key()).isEqualTo("duration");
        assertThat(mistake.value()).isEqualTo("20x");
        assertThat(mistake.allowed()).isEqualTo(DURATION + "more than 0");
        assertThat(mistake.nearest()).isNull();
        assertThat(Reading.found("durtion: 1s\n" + ONE_SERVICE, null).get(0).nearest())
                .isEqualTo("duration");
    }

    /** Expects one mistake. The caret in the text marks its position. */
    private static void assertOneMistake(String text, String mistake) {
        int column = text.indexOf('^') + 1;
        assertThat(mistakes(text.replace("^", ""))).containsExactly("s.yaml:1:" + column + ": " + mistake);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "seed: ^1.5 | seed is '1.5'; allowed: a whole number",
                "seed:^ | seed is ''; allowed: a whole number",
                "seed: ^[1] | seed is a list; allowed: a whole number",
                "endpoint: ^{} | endpoint is a map; allowed: 1 to 1000 printable characters",
                "endpoint: ^' ' | endpoint is ' '; allowed: 1 to 1000 printable characters",
                "duration: ^0s | duration is '0s'; allowed: a duration such as 90s or 1m30s, more than 0",
                "duration: ^800h | duration is '800h'; allowed: a duration such as 90s or 1m30s, more than 0 and at most 720h",
                "sampleEvery: ^1h | sampleEvery is '1h'; allowed: a duration, at most the scenario's (20m)",
                "sampleEvery: ^500us | sampleEvery is '500us'; allowed: a duration such as 90s or 1m30s, at least 1ms",
                "limiterPerSec: ^fast | limiterPerSec is 'fast'; allowed: a number from 0.001 to 1000000",
                "limiterPerSec: ^NaN | limiterPerSec is 'NaN'; allowed: a number from 0.001 to 1000000",
                "burst: ^0 | burst is '0'; allowed: a whole number from 1 to 1000000",
                "coordinator: {leaseTime: ^0} | leaseTime is '0'; allowed: a duration such as 90s or 1m30s, at least 3s",
                "coordinator: {leaseTime: ^2h} | leaseTime is '2h'; allowed: a duration such as 90s or 1m30s, at least 3s and at most 1h",
                "coordinator: {clockSkew: ^-1s} | clockSkew is '-1s'; allowed: a duration such as 90s or 1m30s, 0s or more",
                "coordinator: {clockSkew: ^25h} | clockSkew is '25h'; allowed: a duration such as 90s or 1m30s, 0s or more and at most 24h",
                "coordinator: {loseAnswers: ^0.6} | loseAnswers is '0.6'; allowed: a number from 0 to 0.5",
                "coordinator: {conflicts: ^-0.1} | conflicts is '-0.1'; allowed: a number from 0 to 0.5",
                "coordinator: {^loosAnswers: 0.1} | loosAnswers: unknown key; did you mean loseAnswers?",
                "coordinator: {^clockskew: 1s} | clockskew: unknown key; did you mean clockSkew?",
                "coordinator: {whenAway: ^go-on} | whenAway is 'go-on'; allowed: one of local-share, stop",
                "database: {maxAge: ^9000h} | maxAge is '9000h'; allowed: a duration such as 90s or 1m30s, 0s or more and at most 8760h",
                "database: {handshake: {mean: ^0s}} | mean is '0s'; allowed: a duration such as 90s or 1m30s, more than 0",
                "database: {handshake: {median: 2s, p99: ^1s}} | p99 is '1s'; allowed: at least the median (2s)",
                "database: {handshake: {mean: 2s, ^p99: 3s}} | p99 has no meaning here; allowed: without mean",
                "database: {close: ^[1ms]} | close is a list; allowed: a duration such as 30ms, a range such as 10ms..50ms, {median: 30ms, p99: 200ms} or {mean: 20ms}",
                "faults: ^{at: 1m} | faults is a map; allowed: a list of faults, each a map with at and kind",
                "scenario: ^cold_start | scenario is a single value; allowed: a map with kind, rollEvery, dropAt, dropFraction",
                "^targetReady: 5 | targetReady has no meaning here; allowed: in a service",
                "^[a]: 1 | a key is a list; allowed: a word",
                "<<: [^1] | << is a single value; allowed: a map, or a list of maps",
                "assertMaxConnectsPerSec: ^nil | assertMaxConnectsPerSec is 'nil'; allowed: a whole number from 0 to 2147483647, or none",
                "assertMinUsableShare: ^95 | assertMinUsableShare is '95'; allowed: a number from 0 to 1, or none",
                "assertZeroEmptyEvents: ^1 | assertZeroEmptyEvents is '1'; allowed: true or false",
            })
    void whatIsWrongAtTheTopIsTold(String line, String mistake) {
        assertOneMistake(line + "\n" + ONE_SERVICE, mistake);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "name: 7, instances: ^0 | instances is '0'; allowed: a whole number from 1 to 10000",
                "name: a, jitter: ^23m | jitter is '23m'; allowed: a duration, at most twice baseLifetime (11m)",
                "name: a, guardWindow: ^12m | guardWindow is '12m'; allowed: a duration less than baseLifetime (11m)",
                "name: a, baseLifetime: ^30s, jitter: 0s | guardWindow is '45s'; allowed: a duration less than baseLifetime (30s)",
                "name: a, baseLifetime: ^8760h | baseLifetime is '8760h'; allowed: a duration that with half of jitter is at most 8760h",
                "name: a, startDelay: ^21m | startDelay is '21m'; allowed: a duration, at most the scenario's duration (20m)",
                "name: a, instances: 3, instanceDelay: ^11m | instanceDelay is '11m'; allowed: a duration that lets all 3 processes start within the scenario's duration (20m)",
                "name: a, opensInFlightMax: ^0 | opensInFlightMax is '0'; allowed: a whole number from 1 to 1000000",
                "name: a, successorAllowance: ^-2 | successorAllowance is '-2'; allowed: a whole number from -1 to 100000",
                "name: a, refillPacing: ^fast | refillPacing is 'fast'; allowed: one of smooth, off",
                "name: a, connectTimeout: ^0s | connectTimeout is '0s'; allowed: a duration such as 90s or 1m30s, more than 0",
                "name: a, workload: ^[] | workload is a list; allowed: a map with enabled, arrivals, maxInUse, spawnEvery, arrivalBurst, rate, burstEvery, burstSize, file, times, hold, holdTime, holdJitter, maxWait, conflicts",
                "name: a, workload: {enabled: true, spawnEvery: ^1us} | spawnEvery is '1us'; allowed: a duration such as 90s or 1m30s, at least 1ms",
                "name: a, workload: {arrivals: ^open} | arrivals is 'open'; allowed: one of closed, poisson, even, bursts, recorded",
                "name: a, workload: {arrivals: even, rate: ^0} | rate is '0'; allowed: a number from 0.000001 to 1000000",
                "name: a, workload: {holdTime: ^13h} | holdTime is '13h'; allowed: a duration such as 90s or 1m30s, 0s or more and at most 12h",
            })
    void whatIsWrongWithAServiceIsTold(String service, String mistake) {
        assertOneMistake("services: [{" + service + "}]", mistake);
    }

    @Test
    void latenciesThatAreHalfSaidAreTold() {
        assertThat(mistakes("database: {handshake: {mediam: 2s, p99: 3s}}\n" + ONE_SERVICE))
                .containsExactly(
                        "s.yaml:1:23: median is missing; allowed: with p99, or mean in place of both",
                        "s.yaml:1:24: mediam: unknown key; did you mean median?");
        assertThat(mistakes("database: {handshake: {median: 2s}}\n" + ONE_SERVICE))
                .containsExactly("s.yaml:1:23: p99 is missing; allowed: with median, or mean in place of both");
    }

    @Test
    void aFleetThatIsTooLargeIsRefused() {
        assertThat(mistakes("services: []"))
                .containsExactly("s.yaml:1:1: services is missing; allowed: a list of at least one service");
        assertThat(mistakes("services: {}"))
                .containsExactly("s.yaml:1:11: services is a map; allowed: a list of at least one service");
        StringBuilder many = new StringBuilder("defaults: {instances: 10000, targetReady: 1}\nservices:\n");
        for (int i = 0; i < 11; i++) {
            many.append("- name: s").append(i).append('\n');
        }
        assertThat(mistakes(many.toString()))
                .containsExactly("s.yaml:3:1: services is '110000 processes'; allowed: at most 100000");
        assertThat(mistakes("services: [{name: a, instances: 1000, targetReady: 10001}]"))
                .containsExactly("s.yaml:1:11: services is '10001000 connections'; allowed: at most 10000000");
        assertThat(mistakes("duration: 720h\nsampleEvery: 1s\n" + ONE_SERVICE))
                .containsExactly("s.yaml:2:14: sampleEvery is '1s'; allowed: at least 1.297s with 1 services over 720h,"
                        + " for at most 2000000 samples");
    }

    @Test
    void valuesAreShownOnOneLineAndNotInFull() {
        assertThat(mistakes("permits: \"" + "x".repeat(100) + "\\n\"\n" + ONE_SERVICE))
                .containsExactly(
                        "s.yaml:1:10: permits is '" + "x".repeat(60) + "...'; allowed: one of shared, local, none");
        assertThat(mistakes("permits: \"a\\tb\\nc\"\n" + ONE_SERVICE))
                .containsExactly("s.yaml:1:10: permits is 'a b c'; allowed: one of shared, local, none");
    }

    @Test
    void aMistakeInDefaultsIsToldOnceAndWhereItStands() {
        assertThat(mistakes("defaults: {keepalive: never, nmae: x}\nservices: [{name: a}, {name: b}]"))
                .containsExactly(
                        "s.yaml:1:23: keepalive is 'never'; allowed: " + DURATION + "0s or more",
                        "s.yaml:1:30: nmae: unknown key; allowed: "
                                + String.join(
                                        ", ",
                                        ScenarioKeys.SERVICE
                                                .names()
                                                .subList(
                                                        1,
                                                        ScenarioKeys.SERVICE
                                                                .names()
                                                                .size())));
    }
}
