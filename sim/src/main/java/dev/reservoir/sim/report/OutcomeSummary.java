package dev.reservoir.sim.report;

import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Computes the main figures of an outcome, for comparing outcomes at a glance. */
final class OutcomeSummary {
    /** The number that stands for a share of 1: shares are written as whole ten-thousandths. */
    static final int WHOLE = 10_000;

    private OutcomeSummary() {}

    /** The unit of a figure. It decides how the page shows the figure. */
    enum Unit {
        COUNT,
        MICROS,
        SHARE
    }

    /** Says which of two values is better. */
    enum Better {
        LESS,
        MORE,
        NEITHER
    }

    /**
     * One figure.
     *
     * @param value empty if the event it measures never happened
     */
    record Row(String name, String text, OptionalLong value, Unit unit, Better better) {}

    static List<Row> of(Outcome outcome) {
        Figures figures = Figures.of(outcome);
        long converged = figures.convergedAtNanos();
        OptionalLong convergedMicros = converged < 0 ? OptionalLong.empty() : OptionalLong.of(converged / 1_000);
        List<Row> all = new ArrayList<>();
        all.add(new Row("converged", "Time to converge", convergedMicros, Unit.MICROS, Better.LESS));
        all.add(count("connects", "Connects", figures.connects(), Better.LESS));
        all.add(count("refused", "Refused connects", figures.refused(), Better.LESS));
        all.add(count("mostOpen", "Most open at once", figures.mostOpen(), Better.NEITHER));
        all.add(count("checkouts", "Checkouts", figures.checkouts(), Better.NEITHER));
        all.add(count("empties", "Found nothing ready", figures.emptyEvents(), Better.LESS));
        all.add(count("timeouts", "Got nothing in time", figures.timeouts(), Better.LESS));
        all.add(count("failedWork", "Failed work", figures.failedWork(), Better.LESS));
        all.add(wait("p99", "Wait, 99th percentile", figures.waits().p99Nanos()));
        all.add(wait("p999", "Wait, 99.9th percentile", figures.waits().p999Nanos()));
        all.add(wait("waitMax", "Longest wait", figures.waits().maxNanos()));
        all.add(new Row(
                "smallestShare",
                "Smallest usable share",
                share(figures.smallestUsableShare() == null ? -1 : figures.smallestUsableShare()),
                Unit.SHARE,
                Better.MORE));
        return all;
    }

    private static Row count(String name, String text, long value, Better better) {
        return new Row(name, text, OptionalLong.of(value), Unit.COUNT, better);
    }

    private static Row wait(String name, String text, long nanos) {
        return new Row(name, text, OptionalLong.of(nanos / 1_000), Unit.MICROS, Better.LESS);
    }

    private static OptionalLong share(double share) {
        return share < 0 ? OptionalLong.empty() : OptionalLong.of((long) (WHOLE * share));
    }

    /**
     * The smallest usable share of one service, from the first sample at which it had its target. Empty if it never had
     * its target.
     */
    static OptionalLong smallestShare(List<Sample> samples) {
        double smallest = -1;
        for (Sample sample : samples) {
            if (sample.target() == 0 || (smallest < 0 && sample.usable() < sample.target())) {
                continue;
            }
            double share = Math.min(1, (double) sample.usable() / sample.target());
            smallest = smallest < 0 ? share : Math.min(smallest, share);
        }
        return share(smallest);
    }

    /** The samples of each service by time, with the services in the scenario's order. */
    static List<List<Sample>> byService(Outcome outcome) {
        int services = outcome.scenario().services().size();
        List<List<Sample>> all = new ArrayList<>();
        for (int s = 0; s < services; s++) {
            List<Sample> its = new ArrayList<>();
            for (int i = s; i < outcome.samples().size(); i += services) {
                its.add(outcome.samples().get(i));
            }
            all.add(its);
        }
        return all;
    }
}
