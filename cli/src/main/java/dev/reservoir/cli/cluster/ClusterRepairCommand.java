package dev.reservoir.cli.cluster;

import dev.reservoir.cli.budget.ClusterAccess;
import dev.reservoir.cli.budget.ModeOptions;
import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.cli.console.ProgressBar;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.inspect.ClusterRepair;
import dev.reservoir.cluster.inspect.ClusterRepair.Outcome;
import dev.reservoir.cluster.inspect.ClusterRepair.Plan;
import dev.reservoir.cluster.inspect.ClusterRepairStep;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code reservoir cluster repair}. Never writes without {@code --apply}. */
@Command(
        customSynopsis = "reservoir cluster repair [OPTIONS] ENDPOINT",
        description = {
            "Shows what is wrong in the counts of a cluster's budget, and the writes that repair it. Makes them"
                    + " with --apply.",
            "The fleet may keep running: a write is made only if nothing has changed since it was read. A process"
                    + " counts as dead only after it was watched for a whole lease time, so this command may take"
                    + " as long."
        },
        footer = {"Exit codes: 0 if nothing is wrong or all was repaired, 1 if something is wrong, 2 if called wrongly."
        })
public final class ClusterRepairCommand extends CliCommand {
    @Mixin
    private ClusterOptions options = new ClusterOptions();

    @Option(names = "--apply", description = "makes the repairs; without it nothing is changed")
    private boolean apply;

    @Option(
            names = "--set-active",
            paramLabel = "N",
            description = "in an emergency, with --leases counter: sets the counter that Go processes share to N, the"
                    + " number of open connections")
    private @Nullable String setActive;

    @Override
    public Integer call() {
        ClusterSettings settings = options.settings(environment);
        Long active = active(settings);
        try (ClusterAccess budget = ClusterAccess.open(settings, options.tables, environment)) {
            ClusterRepair repair = budget.ask(inspection -> new ClusterRepair(inspection, new SecureRandom(), active));
            Plan plan = budget.ask(inspection -> plan(repair, settings));
            new ClusterText(console).findings(plan.report());
            if (plan.steps().isEmpty()) {
                return nothingToDo(plan);
            }
            return apply ? done(budget.ask(inspection -> repair.apply(plan))) : planned(plan);
        }
    }

    private @Nullable Long active(ClusterSettings settings) {
        if (setActive == null) {
            return null;
        }
        if (!setActive.matches("\\d{1,9}")) {
            throw new MisuseException("--set-active is '" + setActive + "'; allowed: whole numbers from 0");
        }
        if (settings.leaseMode() != LeaseMode.COUNTER) {
            throw new MisuseException("--set-active is '" + setActive + "'; allowed: only with --leases counter (it is "
                    + ModeOptions.name(settings.leaseMode()) + ")");
        }
        return Long.valueOf(setActive);
    }

    private Plan plan(ClusterRepair repair, ClusterSettings settings) {
        boolean[] said = {false};
        long most = settings.leaseTime().toSeconds();
        try (ProgressBar bar = new ProgressBar(console)) {
            return repair.plan((silent, left) -> {
                if (!said[0]) {
                    said[0] = true;
                    console.err()
                            .println("Watching " + NumberText.count(silent, "process") + " for up to "
                                    + TimeAgo.span(1_000 * most) + ", to see which processes are alive ...");
                }
                bar.counted("watching, seconds", (int) Math.max(0, most - left / 1_000_000_000L), most);
            });
        }
    }

    private int nothingToDo(Plan plan) {
        boolean right = plan.report().isRight();
        return console.verdict(right, right ? "nothing to repair" : "nothing can be repaired automatically");
    }

    private void steps(List<ClusterRepairStep> steps) {
        steps.forEach(step -> console.out().println("  " + step.what()));
    }

    private int planned(Plan plan) {
        console.out().println("Would be done with --apply:");
        steps(plan.steps());
        console.out().println();
        String steps = NumberText.count(plan.steps().size(), "step");
        return console.verdict(false, steps + " to do; nothing was written. Repair with --apply");
    }

    private int done(Outcome outcome) {
        console.out().println("Done:");
        steps(outcome.done());
        if (outcome.done().isEmpty()) {
            console.out().println("  nothing");
        }
        console.out().println();
        if (!outcome.left().isEmpty()) {
            console.out().println("Not done, because the fleet kept changing the counts; run the command again:");
            steps(outcome.left());
            console.out().println();
        }
        new ClusterText(console).findings(outcome.report());
        return console.verdict(outcome.report().isRight() && outcome.left().isEmpty());
    }
}
