package dev.reservoir.sim.report;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.pools.SimulatedPool.State;
import dev.reservoir.sim.result.Counters;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Outcome.Waits;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.result.Sample.Event;
import dev.reservoir.sim.scenario.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Outcomes in which every number changes all the time, so that nothing can be written in few characters. */
final class Noise {
    private Noise() {}

    static Outcome outcome(int services, int seconds) {
        SplittableRandom random = new SplittableRandom(11);
        List<Scenario.Service> asked = new ArrayList<>();
        List<List<Sample>> byService = new ArrayList<>();
        for (int i = 0; i < services; i++) {
            asked.add(Examples.service("service-" + i, 1, 500, Examples.poisson(100)));
            byService.add(samples("service-" + i, seconds, random));
        }
        List<Sample> samples = new ArrayList<>();
        for (int t = 0; t < seconds; t++) {
            for (List<Sample> its : byService) {
                samples.add(its.get(t));
            }
        }
        Scenario scenario = Examples.scenario("noise", Duration.ofSeconds(seconds), asked, List.of());
        List<Second> perSecond = Collections.nCopies(seconds, new Second(90, 2, 1, 80, 9_000));
        return new Outcome(
                scenario,
                PoolKind.RESERVOIR,
                samples,
                perSecond,
                List.of(),
                new Waits(1, 1, 1, 1, 1),
                Collections.nCopies(40, 7L),
                1_000_000_000L,
                1.0,
                null,
                List.of(),
                1,
                1);
    }

    static List<Sample> samples(String service, int seconds, SplittableRandom random) {
        List<Sample> samples = new ArrayList<>();
        long count = 0;
        for (int t = 1; t <= seconds; t++) {
            count += random.nextInt(1_000);
            int inUse = random.nextInt(200);
            long waitNanos = random.nextInt(5_000) * 1_000L;
            State state = new State(
                    500 - inUse - random.nextInt(20),
                    inUse,
                    random.nextInt(5),
                    random.nextInt(9),
                    random.nextInt(5),
                    0);
            Counters<Event> counters = Counters.of(Event.class)
                    .add(Event.CHECKOUTS, count)
                    .add(Event.EMPTY_EVENTS, count / 100)
                    .add(Event.TIMEOUTS, count / 500)
                    .add(Event.REFILLS, count / 50)
                    .add(Event.REFUSED, count / 900)
                    .add(Event.WORK_STARTED, count)
                    .add(Event.WORK_COMPLETED, count);
            samples.add(new Sample(
                    t * 1_000_000_000L,
                    service,
                    1,
                    500,
                    500 - random.nextInt(100),
                    500 + random.nextInt(9),
                    500,
                    state,
                    counters,
                    new Waits(1, waitNanos / 100, waitNanos, waitNanos * 3, waitNanos * 4),
                    Map.of(DiscardReason.SUPERSEDED, count / 70, DiscardReason.BAD, count / 800),
                    Map.of(OpenFailureReason.SERVER_RATE, count / 900)));
        }
        return samples;
    }
}
