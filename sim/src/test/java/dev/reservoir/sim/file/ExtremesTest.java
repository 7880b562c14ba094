package dev.reservoir.sim.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.scenario.Scenario;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every scenario that the reader accepts can run with every pool. The engine refuses nothing more. */
class ExtremesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "limiterPerSec: 0.001",
                "limiterPerSec: 1000000\nburst: 1000000",
                "limiterPerSec: 0.001\npermits: local",
                "permits: none",
                "seed: -9223372036854775808",
                "sampleEvery: 3s\nduration: 3s",
                "sampleEvery: 1ms\nduration: 1ms",
                "coordinator: {leaseLimit: 1, leaseTime: 3s, latency: 24h, whenAway: stop}",
                "coordinator: {leaseLimit: 10000000, leaseTime: 1h}",
                "coordinator: {leaseLimit: 50, leaseTime: 3s, clockSkew: 24h, loseAnswers: 0.5, conflicts: 0.5}",
                "database: {rate: 0.0000001, burst: 0, cap: 1, maxAge: 1ns, handshake: 0s, close: 0s}",
                "database: {rate: 1000000, burst: 10000000, cap: 10000000, maxAge: 8760h, crashNotice: 8760h,"
                        + " closedHeldFor: 8760h}",
                "database: {handshake: {median: 1ns, p99: 24h}, close: {median: 24h, p99: 24h}}",
                "database: {handshake: {mean: 24h}, close: 0s..24h}",
                "tokens: {lifetime: 1ns, renewBefore: 8760h, fetch: 0s}",
                "tokens: {lifetime: 8760h, renewBefore: 0s, fetch: 24h}",
                "defaults: {baseLifetime: 20ms, guardWindow: 19999999ns, jitter: 40ms}",
                "defaults: {baseLifetime: 20000001ns, guardWindow: 0s, jitter: 40000002ns}",
                "defaults: {baseLifetime: 8760h, guardWindow: 8759h, jitter: 0s}",
                "defaults: {baseLifetime: 4380h, jitter: 8760h}",
                "defaults: {targetReady: 1, maxOpen: 100000, lowWatermark: 0}",
                "defaults: {targetReady: 2, successorAllowance: 100000, opensInFlightMax: 1000000}",
                "defaults: {successorAllowance: 0, opensInFlightMax: 1, connectTimeout: 1ns, keepalive: 1ms}",
                "defaults: {connectTimeout: 8760h, keepalive: 8760h}",
                "defaults: {startDelay: 3s, instances: 2}",
                "defaults: {instances: 4, instanceDelay: 1s}",
                "defaults: {workload: {enabled: true, maxInUse: 0}}",
                "defaults: {workload: {enabled: true, maxInUse: 100, arrivalBurst: 100, spawnEvery: 1ms, maxWait: 1ns}}",
                "defaults: {workload: {arrivals: even, rate: 0.000001, maxWait: 8760h}}",
                "defaults: {workload: {arrivals: even, rate: 20000, hold: 0s, conflicts: 1}}",
                "defaults: {workload: {arrivals: poisson, rate: 0.000001}}",
                "defaults: {workload: {arrivals: bursts, burstEvery: 8760h, burstSize: 1}}",
                "defaults: {workload: {arrivals: bursts, burstEvery: 100ms, burstSize: 500, hold: 24h}}",
                "defaults: {workload: {arrivals: recorded, times: []}}",
                "defaults: {workload: {arrivals: recorded, times: [0, 0, 365d]}}",
                "faults: [{at: 0s, kind: drop, fraction: 0}, {at: 0s, kind: crash}, {at: 2999ms, kind: restart}]",
                "faults: [{at: 1s, kind: scale, instances: 0}, {at: 2s, kind: scale, instances: 3}]",
                "faults: [{at: 1s, kind: restart, every: 8760h}, {at: 1s, kind: crash, for: 8760h}]",
                "faults: [{at: 1s, kind: hang, for: 1ns}, {at: 1s, kind: hang, for: 1s}, {at: 1s, kind: crash, for: 1s}]",
                "faults: [{at: 0s, kind: hung-connects, for: 1s}, {at: 500ms, kind: hung-connects, fraction: 0, for: 9h}]",
                "faults: [{at: 0s, kind: database-outage, for: 1s}, {at: 1s, kind: slow-connects, for: 1s, handshake: 0s}]",
                "faults: [{at: 0s, kind: token-outage, for: 1s}, {at: 0s, kind: coordinator-outage, for: 8760h}]",
                "assertMinUsableShare: 1\nassertMaxOpenConnections: 0\nassertMaxTimeouts: 0\nassertPromisesKept: true",
                "assertStableFor: none\nassertConvergeWithin: 1ns",
            })
    void whatIsReadRuns(String text) {
        String three = text.contains("duration:") ? "" : "duration: 3s\n";
        Scenario scenario = Reading.read(three
                + text.replace("365d", "8760h")
                + "\nservices: [{name: a}, {name: b, targetReady: 3}]\n"
                        .replace("b, targetReady: 3", text.contains("maxOpen") ? "b" : "b, targetReady: 3"));
        for (PoolKind pool : PoolKind.values()) {
            assertThat(Simulation.run(scenario, pool, Simulation.Progress.NONE).samples())
                    .isNotEmpty();
        }
    }
}
