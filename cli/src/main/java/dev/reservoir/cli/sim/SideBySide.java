package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.core.util.Text;
import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Prints outcomes as columns and their figures as rows. */
record SideBySide(Console console) {
    private static final int MOST_COLUMNS = 5;

    void print(List<Outcome> outcomes) {
        List<String> names = OutcomeText.names(outcomes);
        for (int from = 0; from < outcomes.size(); from += MOST_COLUMNS) {
            int to = Math.min(outcomes.size(), from + MOST_COLUMNS);
            if (from > 0) {
                console.out().println();
            }
            block(outcomes.subList(from, to), names.subList(from, to));
        }
    }

    private void block(List<Outcome> outcomes, List<String> names) {
        TextTable table = new TextTable().left("");
        names.forEach(table::right);
        List<Figures> figures = outcomes.stream().map(Figures::of).toList();
        row(
                table,
                figures,
                "time to converge",
                f -> f.convergedAtNanos() < 0 ? "never" : OutcomeText.seconds(f.convergedAtNanos()));
        row(table, figures, "connects", f -> NumberText.number(f.connects()));
        row(table, figures, "most connects/s", f -> NumberText.number(f.mostConnectsPerSecond()));
        row(table, figures, "refused", f -> NumberText.number(f.refused()));
        row(table, figures, "closures", f -> NumberText.number(f.closures()));
        row(table, figures, "most closures/s", f -> NumberText.number(f.mostClosuresPerSecond()));
        row(table, figures, "most open", f -> NumberText.number(f.mostOpen()));
        row(
                table,
                figures,
                "smallest usable share",
                f -> f.smallestUsableShare() == null ? "-" : OutcomeText.percent(f.smallestUsableShare()));
        row(table, figures, "checkouts", f -> NumberText.number(f.checkouts()));
        row(table, figures, "empties", f -> NumberText.number(f.emptyEvents()));
        row(table, figures, "timeouts", f -> NumberText.number(f.timeouts()));
        row(table, figures, "failed work", f -> NumberText.number(f.failedWork()));
        row(table, figures, "p99 wait", f -> Text.nanos(f.waits().p99Nanos()));
        row(table, figures, "p99.9 wait", f -> Text.nanos(f.waits().p999Nanos()));
        row(table, figures, "longest wait", f -> Text.nanos(f.waits().maxNanos()));
        Set<String> verdicts = new LinkedHashSet<>();
        outcomes.forEach(o -> o.verdicts().stream().map(Verdict::name).forEach(verdicts::add));
        for (String name : verdicts) {
            List<String> cells = new ArrayList<>(List.of(name));
            outcomes.forEach(o -> cells.add(verdict(o, name)));
            table.row(cells);
        }
        table.print(console);
    }

    private static void row(TextTable table, List<Figures> figures, String name, Function<Figures, String> figure) {
        List<String> cells = new ArrayList<>(List.of(name));
        figures.forEach(f -> cells.add(figure.apply(f)));
        table.row(cells);
    }

    private static String verdict(Outcome outcome, String name) {
        return outcome.verdicts().stream()
                .filter(v -> v.name().equals(name))
                .map(v -> v.holds() ? "ok" : "FAIL")
                .findFirst()
                .orElse("-");
    }
}
