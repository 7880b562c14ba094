package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.core.util.Text;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Service;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints outcomes as text: services, figures, verdicts. */
final class OutcomeText {
    private static final int MOST_ROWS = 20;

    private final Console console;
    private final PrintStream out;

    OutcomeText(Console console) {
        this.console = console;
        this.out = console.out();
    }

    void print(Outcome outcome) {
        Scenario scenario = outcome.scenario();
        int processes =
                scenario.services().stream().mapToInt(Service::instances).sum();
        int target = scenario.services().stream().mapToInt(Service::target).sum();
        out.println(console.strong(scenario.name()) + ": "
                + NumberText.count(scenario.services().size(), "service") + ", "
                + NumberText.count(processes, "process") + ", "
                + NumberText.count(target, "connection") + "; " + DurationText.format(scenario.duration())
                + " simulated, pool "
                + outcome.pool().label() + ", seed " + scenario.seed());
        out.println();
        services(outcome);
        out.println();
        figures(outcome);
        out.println();
        verdicts(outcome);
    }

    private void services(Outcome outcome) {
        TextTable table = new TextTable()
                .left("service")
                .right("processes")
                .right("target")
                .right("usable")
                .right("in use")
                .right("refills")
                .right("discards")
                .right("failures")
                .right("checkouts")
                .right("empties")
                .right("timeouts")
                .right("longest wait");
        List<ServiceGroup> groups = ServiceGroup.of(outcome);
        groups.stream().limit(MOST_ROWS).forEach(group -> table.row(group.cells()));
        if (groups.size() > MOST_ROWS) {
            table.row(ServiceGroup.sum(
                            "and " + (groups.size() - MOST_ROWS) + " more", groups.subList(MOST_ROWS, groups.size()))
                    .cells());
        }
        if (groups.size() > 1) {
            table.row(ServiceGroup.sum("all", groups).cells());
        }
        table.print(out);
    }

    private void figures(Outcome outcome) {
        Figures figures = Figures.of(outcome);
        out.println("  Connects: " + NumberText.number(figures.connects()) + ", at most "
                + NumberText.number(figures.mostConnectsPerSecond()) + " in a second, "
                + NumberText.number(figures.refused())
                + " refused. Open: at most " + NumberText.number(figures.mostOpen()) + ". Closed: at most "
                + NumberText.number(figures.mostClosuresPerSecond()) + " in a second.");
        out.println("  Every service at its target: "
                + (figures.convergedAtNanos() < 0 ? "never" : "after " + seconds(figures.convergedAtNanos())) + "."
                + (figures.smallestUsableShare() == null
                        ? ""
                        : " Once full: at least " + percent(figures.smallestUsableShare())
                                + " of it usable at any moment."));
        if (figures.waits().count() > 0) {
            out.println("  Waits of " + NumberText.count(figures.waits().count(), "checkout") + ": p50 "
                    + Text.nanos(figures.waits().p50Nanos()) + ", p99 "
                    + Text.nanos(figures.waits().p99Nanos()) + ", p99.9 "
                    + Text.nanos(figures.waits().p999Nanos()) + ", longest "
                    + Text.nanos(figures.waits().maxNanos()) + ".");
        }
        if (console.terminal()) {
            double real = Math.max(1, outcome.tookNanos());
            out.println(String.format(
                    Locale.ROOT,
                    "  %,d events in %s, %,.0f x real time.",
                    outcome.events(),
                    Text.nanos(outcome.tookNanos()),
                    outcome.scenario().duration().toNanos() / real));
        }
    }

    static String name(Scenario scenario, PoolKind pool) {
        return scenario.name() + " (" + pool.label() + ")";
    }

    /** One name for each outcome, in order. */
    static List<String> names(List<Outcome> outcomes) {
        boolean oneScenario =
                outcomes.stream().map(o -> o.scenario().name()).distinct().count() == 1;
        boolean onePool = outcomes.stream().map(Outcome::pool).distinct().count() == 1;
        return outcomes.stream()
                .map(o -> onePool ? o.scenario().name() : oneScenario ? o.pool().label() : name(o.scenario(), o.pool()))
                .toList();
    }

    static String seconds(long nanos) {
        return BigDecimal.valueOf(nanos, 9).setScale(2, RoundingMode.HALF_UP).toPlainString() + " s";
    }

    static String percent(double share) {
        return new BigDecimal(100 * share).setScale(1, RoundingMode.HALF_EVEN).toPlainString() + " %";
    }

    private void verdicts(Outcome outcome) {
        TextTable table = new TextTable().left("").left("").left("").left("");
        for (Verdict verdict : outcome.verdicts()) {
            table.row(List.of(
                    verdict.holds() ? "ok" : "FAIL",
                    verdict.name(),
                    verdict.found(),
                    "expected: " + verdict.expected()));
        }
        table.print(console);
    }

    /** Prints only the expectations that do not hold, one line for each. */
    void failures(List<Outcome> outcomes) {
        for (Outcome outcome : outcomes) {
            for (Verdict verdict : outcome.verdicts()) {
                if (!verdict.holds()) {
                    out.println("FAIL " + name(outcome.scenario(), outcome.pool()) + ": " + words(verdict));
                }
            }
        }
    }

    private static String words(Verdict verdict) {
        return verdict.name() + ": " + verdict.found() + "; expected: " + verdict.expected();
    }

    /** Prints the last line, which says whether all expectations hold. */
    void verdict(List<Outcome> outcomes) {
        List<Verdict> failed = new ArrayList<>();
        int all = 0;
        for (Outcome outcome : outcomes) {
            all += outcome.verdicts().size();
            outcome.verdicts().stream().filter(v -> !v.holds()).forEach(failed::add);
        }
        out.println();
        if (failed.size() > 1) {
            String names = failed.stream().map(Verdict::name).distinct().collect(Collectors.joining(", "));
            console.verdict(false, failed.size() + " of " + all + " assertions do not hold: " + names);
        } else {
            console.verdict(failed.isEmpty(), failed.isEmpty() ? "" : words(failed.get(0)));
        }
    }
}
