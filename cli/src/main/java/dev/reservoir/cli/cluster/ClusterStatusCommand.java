package dev.reservoir.cli.cluster;

import dev.reservoir.cli.budget.ClusterAccess;
import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.ProgressBar;
import dev.reservoir.cli.console.Setting;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspectionReport;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code reservoir cluster status}. Never writes to the store. */
@Command(
        customSynopsis = "reservoir cluster status [OPTIONS] ENDPOINT",
        description = {
            "Shows how much of a cluster's budget each process holds, and whether the process is alive. Shows the"
                    + " free permits and whether the counts are consistent. Only reads."
        },
        footer = {
            "Exit codes: 0 if the counts are consistent, 1 if they are not or cannot be read, 2 if called wrongly."
        })
public final class ClusterStatusCommand extends CliCommand {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    @Mixin
    private ClusterOptions options = new ClusterOptions();

    @Option(
            names = "--watch",
            paramLabel = "D",
            description = "watches for this long, such as 10s, and shows which processes renewed meanwhile")
    private @Nullable String watch;

    @Option(names = "--json", description = "prints everything as JSON and nothing else")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        ClusterSettings settings = options.settings(environment);
        Duration length = new Setting("--watch", watch).duration(SHORTEST, LONGEST);
        ClusterInspectionReport report;
        try (ClusterAccess budget = ClusterAccess.open(settings, options.tables, environment);
                ProgressBar bar = new ProgressBar(json ? console.plain() : console)) {
            report = budget.ask(inspection -> length == null
                    ? inspection.read()
                    : inspection.watch(length, left -> {
                        long done = Math.max(0, length.toSeconds() - left / 1_000_000_000L);
                        bar.counted("watching, seconds", (int) done, length.toSeconds());
                    }));
        }
        if (json) {
            console.printUtf8(to -> ClusterJson.write(report, settings, to));
        } else {
            new ClusterText(console).print(report, settings, length != null);
        }
        return ExitCode.of(report.isRight());
    }
}
