package dev.reservoir.cli;

import dev.reservoir.cli.cluster.ClusterCommand;
import dev.reservoir.cli.cluster.ClusterRepairCommand;
import dev.reservoir.cli.cluster.ClusterStatusCommand;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.run.DemoCommand;
import dev.reservoir.cli.run.EmulatorCommand;
import dev.reservoir.cli.sim.SimCommand;
import dev.reservoir.cli.sim.SimCompareCommand;
import dev.reservoir.cli.sim.SimFuzzCommand;
import dev.reservoir.cli.sim.SimListCommand;
import dev.reservoir.cli.sim.SimRunCommand;
import dev.reservoir.cli.sim.SimShowCommand;
import dev.reservoir.cli.sim.SimSweepCommand;
import dev.reservoir.cli.tables.TablesCheckCommand;
import dev.reservoir.cli.tables.TablesCommand;
import dev.reservoir.cli.tables.TablesCreateCommand;
import dev.reservoir.cli.tables.TablesDeleteCommand;
import dev.reservoir.cli.tables.TablesPolicyCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Assembles all commands, and words the message for a command that was called wrongly. */
@Command(
        name = "reservoir",
        customSynopsis = "reservoir COMMAND [OPTIONS]",
        description = {"Keeps connections ready for databases that ration them."},
        footer = {
            "Exit codes: 0 if it succeeded, 1 if it failed, 2 if called wrongly or given a wrong file.",
            "More: reservoir help COMMAND"
        })
final class Commands {
    private static final int HELP_WIDTH = 110;

    private Commands() {}

    /**
     * Creates the command line with all commands.
     *
     * @param environment the variables that supply values missing on the command line
     * @param words the command line
     * @param misused handles a command that was called wrongly, and returns the exit code
     * @param failed handles a command that failed, and returns the exit code
     */
    static CommandLine all(
            Console console,
            Map<String, String> environment,
            List<String> words,
            ToIntBiFunction<CommandLine, String> misused,
            ToIntFunction<Exception> failed) {
        CommandLine sim = new CommandLine(new SimCommand())
                .addSubcommand(new SimRunCommand(console))
                .addSubcommand(new SimCompareCommand(console))
                .addSubcommand(new SimSweepCommand(console))
                .addSubcommand(new SimFuzzCommand(console))
                .addSubcommand(new SimListCommand(console))
                .addSubcommand(new SimShowCommand(console));
        CommandLine all = new CommandLine(new Commands())
                .addSubcommand(new DemoCommand(console))
                .addSubcommand(new EmulatorCommand(console, environment))
                .addSubcommand(sim)
                .addSubcommand(tables(console, environment, words))
                .addSubcommand(cluster(console, environment, words));
        prepare(all);
        return all.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setColorScheme(CommandLine.Help.defaultColorScheme(console.hasColours() ? Ansi.ON : Ansi.OFF))
                .setUsageHelpWidth(HELP_WIDTH)
                .setExpandAtFiles(false)
                .setInterpolateVariables(false)
                .setPosixClusteredShortOptionsAllowed(false)
                .setParameterExceptionHandler((e, args) -> misused.applyAsInt(e.getCommandLine(), wrong(e)))
                .setExecutionExceptionHandler((e, command, result) -> e instanceof MisuseException
                        ? misused.applyAsInt(command, String.valueOf(e.getMessage()))
                        : failed.applyAsInt(e));
    }

    /**
     * Adds the subcommands only if the command line mentions their group. They have many options, and inspecting those
     * would slow down every other command.
     */
    private static CommandLine tables(Console console, Map<String, String> environment, List<String> words) {
        CommandLine tables = new CommandLine(new TablesCommand());
        return !words.contains("tables")
                ? tables
                : tables.addSubcommand(new TablesCreateCommand(console, environment))
                        .addSubcommand(new TablesCheckCommand(console, environment))
                        .addSubcommand(new TablesDeleteCommand(console, environment))
                        .addSubcommand(new TablesPolicyCommand(console, environment));
    }

    private static CommandLine cluster(Console console, Map<String, String> environment, List<String> words) {
        CommandLine cluster = new CommandLine(new ClusterCommand());
        return !words.contains("cluster")
                ? cluster
                : cluster.addSubcommand(new ClusterStatusCommand(console, environment))
                        .addSubcommand(new ClusterRepairCommand(console, environment));
    }

    /** Gives every command a help option and the same layout. */
    private static void prepare(CommandLine command) {
        command.getCommandSpec()
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .type(boolean.class)
                        .arity("0")
                        .description("shows this help")
                        .build())
                .usageMessage()
                .synopsisHeading("usage: ")
                .descriptionHeading("%n")
                .parameterListHeading("%n")
                .optionListHeading("%n")
                .commandListHeading("%nCommands:%n")
                .footerHeading("%n")
                .sortOptions(false);
        command.getSubcommands().values().forEach(Commands::prepare);
    }

    private static String wrong(ParameterException e) {
        CommandLine command = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().get(0);
            if (first.startsWith("-")) {
                return "unknown option '" + first + "'; known: " + options(command);
            }
            return command.getSubcommands().isEmpty()
                    ? "'" + first + "' is not expected here"
                    : "unknown command '" + first + "'; known: "
                            + String.join(", ", command.getSubcommands().keySet());
        }
        if (e instanceof MissingParameterException missing) {
            return missing.getMissing().stream()
                    .map(arg -> name(arg) + " is missing its value: " + arg.paramLabel())
                    .collect(Collectors.joining(", "));
        }
        if (e instanceof OverwrittenOptionException overwritten) {
            return name(overwritten.getOverwritten()) + " is given twice";
        }
        if (e.getArgSpec() == null && !command.getSubcommands().isEmpty()) {
            return "no command given; known: "
                    + String.join(", ", command.getSubcommands().keySet());
        }
        if (e.getArgSpec() instanceof OptionSpec flag && flag.arity().max() == 0) {
            return name(flag) + " takes no value";
        }
        return String.valueOf(e.getMessage());
    }

    private static String name(ArgSpec arg) {
        return arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
    }

    private static String options(CommandLine command) {
        return command.getCommandSpec().options().stream()
                .filter(option -> !option.usageHelp())
                .map(OptionSpec::longestName)
                .collect(Collectors.joining(", "));
    }
}
