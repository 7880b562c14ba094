package dev.reservoir.sim.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.PoolKind;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Outcomes as JSON. */
class JsonResultsTest {
    private static String json(Outcome... outcomes) throws IOException {
        StringBuilder text = new StringBuilder();
        JsonResults.write(List.of(outcomes), text);
        return text.toString();
    }

    @Test
    void anOutcomeIsWrittenInAFixedOrder() throws IOException {
        assertThat(json(HandMade.failing())).startsWith("""
                {
                  "passed": false,
                  "outcomes": [
                    {
                      "scenario": "storm",
                      "pool": "plain",
                      "seed": 7,
                      "durationSeconds": 2,
                      "passed": false,
                      "figures": {
                        "convergedAtSeconds": 1,
                        "connects": 100,
                        "mostConnectsPerSecond": 70,
                        "refused": 330,
                        "openFailures": 2200,
                        "refills": 328,
                        "closures": 9,
                        "mostClosuresPerSecond": 6,
                        "mostOpen": 50,
                        "checkouts": 322,
                        "emptyEvents": 324,
                        "timeouts": 326,
                        "failedWork": 340,
                        "smallestUsableShare": 0.9,
                        "waitP50Micros": 1,
                        "waitP99Micros": 2000,
                        "waitP999Micros": 3000,
                        "waitMaxMicros": 4000
                      },
                      "budget": {
                        "permits": 201,
                        "permitsDenied": 202,
                        "permitsFailed": 203,
                        "permitsGivenBack": 204,
                        "permitsLapsed": 205,
                        "leasesDenied": 206,
                        "declaredDead": 207,
                        "leasesTakenBack": 208,
                        "calls": 209,
                        "itemsRead": 210,
                        "itemsWritten": 211
                      },
                      "events": 4711,
                      "verdicts": [
                        {
                          "name": "assertMaxTimeouts",
                          "holds": true,
                          "expected": "none",
                          "found": "0 timeouts"
                        },
                        {
                          "name": "assertConvergeWithin",
                          "holds": false,
                          "expected": "< 1 s & \\"stable\\"",
                          "found": "never\\u0007"
                        }
                      ],
                      "marks": [
                        {
                          "atSeconds": 1.235,
                          "kind": "fault",
                          "text": "half is <gone>"
                        },
                        {
                          "atSeconds": 1,
                          "kind": "converged",
                          "text": "all there"
                        }
                      ],
                      "services": [
                        {
                          "service": "a",
                          "instances": 1,
                          "target": 50,
                          "ready": 40,
                          "inUse": 3,
                          "validating": 4,
                          "opening": 5,
                          "closing": 6,
                          "usable": 45,
                          "open": 8,
                          "waiting": 9,
                          "leases": 10,
                          "checkouts": 111,
                          "emptyEvents": 112,
                          "timeouts": 113,
                          "refills": 114,
                          "refused": 115,
                          "limiterDenies": 116,
                          "workStarted": 117,
                          "workCompleted": 118,
                          "conflicts": 119,
                          "failedWork": 120,
                          "discards": {
                            "insufficient_remaining_lifetime": 4,
                            "expired_on_checkout": 1,
                            "expired_on_return": 2,
                            "expired_on_scan": 16,
                            "expiring_soon_on_scan": 32,
                            "reservoir_full": 8,
                            "superseded": 64
                          },
                          "openFailures": {
                            "connect": 100,
                            "server_rate": 1000
                          }
                        },
                        {
                          "service": "b, \\"c\\"",
                """);
    }

    @Test
    void everythingPassedOnlyIfAllDid() throws IOException {
        assertThat(json(HandMade.passing())).startsWith("{\n  \"passed\": true,");
        assertThat(json(HandMade.passing(), HandMade.failing())).startsWith("{\n  \"passed\": false,");
    }

    @Test
    void itEndsWithALineAndHasNoOtherLineEnds() throws IOException {
        assertThat(json(HandMade.passing())).endsWith("  ]\n}\n").doesNotContain("\r");
    }

    @Test
    void whatNeverHappenedIsNull() throws IOException {
        Outcome made = HandMade.passing();
        Outcome never = new Outcome(
                made.scenario(),
                PoolKind.RESERVOIR,
                List.of(HandMade.sample(1, "a", 1, 0), HandMade.sample(1, "b, \"c\"", 2, 0)),
                List.of(),
                List.of(),
                made.waits(),
                List.of(),
                1,
                null,
                null,
                List.of(),
                0,
                0);

        assertThat(json(never))
                .contains("\"convergedAtSeconds\": null,", "\"smallestUsableShare\": null,", "\"budget\": null,");
    }
}
