package dev.reservoir.sim;

import static dev.reservoir.sim.SmallService.service;

import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.StringJoiner;

/** A hash of an outcome without the time that the run took. The program prints that of an eventful scenario. */
final class Digest {
    private Digest() {}

    public static void main(String[] args) {
        System.out.println(eventful());
    }

    /** The hash of the outcomes with all pools. */
    static String eventful() {
        StringJoiner all = new StringJoiner(" ");
        for (PoolKind pool : PoolKind.values()) {
            all.add(of(scenario().run(pool).outcome()));
        }
        return all.toString();
    }

    static SmallScenario scenario() {
        SmallScenario scenario = SmallScenario.of(
                        service("a")
                                .instances(3)
                                .target(20)
                                .lives("20s", "10s", "2s")
                                .keepalive("10s")
                                .poisson(80)
                                .conflicts(0.1),
                        service("b")
                                .target(40)
                                .lives("15s", "0", "1s")
                                .closed(30, "50ms", 10)
                                .holds("300ms"),
                        service("c")
                                .instances(2)
                                .starts("3s", "2s")
                                .bursts("700ms", 25)
                                .waitsAtMost("200ms"))
                .limiter(60, 5, Sharing.SHARED)
                .coordinatorAnswersIn("3ms")
                .leases(180, "15s")
                .clocksAreOffBy("3s")
                .losesAnswers(0.02)
                .meetsConflicts(0.05)
                .databaseRate(60, 10)
                .cap(170)
                .maxAge("25s")
                .handshake(Latency.logNormal(Duration.ofMillis(30), Duration.ofMillis(400)))
                .closeTakes("4ms")
                .crashNotice("2s")
                .tokens("30s", "5s", "100ms")
                .drop("30s", 0.4)
                .crash("40s", 0.5, "8s")
                .hang("55s", 0.5, "5s")
                .lasting("1m5s", FaultKind.COORDINATOR_OUTAGE, "10s")
                .lasting("1m20s", FaultKind.TOKEN_OUTAGE, "20s")
                .fault("1m40s", FaultKind.HUNG_CONNECTS, 0.3, "10s")
                .lasting("2m", FaultKind.DATABASE_OUTAGE, "5s")
                .restart("2m20s", "3s", false)
                .scale("2m50s", 4, "c")
                .lasts("4m");
        scenario.expected.maxConnectsPerSec = 10;
        scenario.expected.minUsableShare = 0.9;
        scenario.expected.maxWaitP999 = Duration.ofMillis(1);
        return scenario.promisesKept();
    }

    static String of(Outcome outcome) {
        StringBuilder text = new StringBuilder();
        outcome.samples().forEach(sample -> text.append(sample).append('\n'));
        outcome.seconds().forEach(second -> text.append(second).append('\n'));
        text.append(outcome.marks()).append('\n');
        text.append(outcome.waits()).append('\n');
        text.append(outcome.ages()).append(outcome.ageStepNanos()).append('\n');
        text.append(outcome.verdicts()).append('\n');
        text.append(outcome.events());
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
