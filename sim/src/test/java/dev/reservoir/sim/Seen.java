package dev.reservoir.sim;

import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.result.Sample;
import java.util.List;
import java.util.NoSuchElementException;

/** The outcome of a {@link SmallScenario}, with short accessors. */
public record Seen(Outcome outcome) {

    /** The last sample of a service. */
    public Sample last(String service) {
        return samples(service).get(samples(service).size() - 1);
    }

    public List<Sample> samples(String service) {
        return outcome.samples().stream()
                .filter(s -> s.service().equals(service))
                .toList();
    }

    /** The sample of a service at this time. */
    public Sample at(String time, String service) {
        long nanos = SmallScenario.time(time).toNanos();
        return samples(service).stream()
                .filter(s -> s.atNanos() == nanos)
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException("no sample at " + time));
    }

    public Second second(int number) {
        return outcome.seconds().get(number);
    }

    public List<String> marks(String kind) {
        return outcome.marks().stream()
                .filter(m -> m.kind().equals(kind))
                .map(Mark::text)
                .toList();
    }

    /** The only verdict, or the one of this name. */
    public Verdict verdict(String name) {
        return outcome.verdicts().stream()
                .filter(v -> v.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException("no verdict " + name));
    }

    /** The time at which all services first had their target, in seconds; -1 if never. */
    public double convergedAt() {
        return outcome.marks().stream()
                .filter(m -> m.kind().equals("converged"))
                .mapToDouble(m -> m.atNanos() / 1e9)
                .findFirst()
                .orElse(-1);
    }
}
