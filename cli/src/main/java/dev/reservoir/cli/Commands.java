package dev.reservoir.cli;

import static java.util.Objects.requireNonNull;

import dev.reservoir.cli.cluster.ClusterCommand;
import dev.reservoir.cli.cluster.ClusterRepairCommand;
import dev.reservoir.cli.cluster.ClusterStatusCommand;
import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.remote.RemoteCheckCommand;
import dev.reservoir.cli.remote.RemoteCommand;
import dev.reservoir.cli.remote.RemoteServeCommand;
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
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Creates the commands, and words the message for a command that was called wrongly. Only the commands that the command
 * line names are created. Picocli inspects a command by reflection, which loads the classes of its fields and methods.
 * For all commands that would slow down the start, and the classes of the demo, the emulator and the registry are on
 * the class path only if the command line names these.
 */
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
    private static final String FLIGHT = "dev.reservoir.cli.flight.";
    private static final String FLIGHT_SERVER =
            "Runs a Flight SQL server on DuckDB until Ctrl-C, for tests and trials.";
    private static final String FLIGHT_DEMO =
            "Shows one shared Flight SQL client beside a pool of connections, on a server that runs the statements of a"
                    + " session one after the other.";

    private final Console console;
    private final Map<String, String> environment;

    private record Subcommand(String name, Supplier<String[]> description, Supplier<?> creation) {
        Subcommand(String name, Class<?> type, Supplier<?> creation) {
            this(name, () -> requireNonNull(type.getAnnotation(Command.class)).description(), creation);
        }

        /**
         * A Flight SQL command. Its class is not even compiled until a command line names such a command, because its
         * libraries are large. Its description is the first line of the class's own.
         */
        static Subcommand flight(String name, String type, String description) {
            return new Subcommand(name, () -> new String[] {description}, () -> createdByName(FLIGHT + type));
        }

        /** The command with its name and description only, for the list of commands. */
        CommandLine listed() {
            CommandSpec spec = CommandSpec.create();
            spec.usageMessage().description(description.get());
            // It has no options, so that the command above it reports what is wrong.
            spec.parser().unmatchedArgumentsAllowed(true);
            return new CommandLine(spec);
        }

        private static Object createdByName(String type) {
            try {
                return Class.forName(type).getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new CommandFailedException(
                        "the Flight SQL commands are not built; call the launcher ./reservoir");
            }
        }
    }

    /** @param environment the variables that supply values missing on the command line */
    Commands(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    private static List<Subcommand> subcommands(String command) {
        return switch (command) {
            case "reservoir" ->
                List.of(
                        // A method reference would make Java verify the class, which can load those of the emulator.
                        new Subcommand("demo", DemoCommand.class, () -> new DemoCommand()),
                        new Subcommand("emulator", EmulatorCommand.class, () -> new EmulatorCommand()),
                        new Subcommand("sim", SimCommand.class, SimCommand::new),
                        new Subcommand("tables", TablesCommand.class, TablesCommand::new),
                        new Subcommand("cluster", ClusterCommand.class, ClusterCommand::new),
                        new Subcommand("remote", RemoteCommand.class, RemoteCommand::new),
                        Subcommand.flight("flight-server", "FlightServerCommand", FLIGHT_SERVER),
                        Subcommand.flight("flight-demo", "FlightDemoCommand", FLIGHT_DEMO));
            case "sim" ->
                List.of(
                        new Subcommand("run", SimRunCommand.class, SimRunCommand::new),
                        new Subcommand("compare", SimCompareCommand.class, SimCompareCommand::new),
                        new Subcommand("sweep", SimSweepCommand.class, SimSweepCommand::new),
                        new Subcommand("fuzz", SimFuzzCommand.class, SimFuzzCommand::new),
                        new Subcommand("list", SimListCommand.class, SimListCommand::new),
                        new Subcommand("show", SimShowCommand.class, SimShowCommand::new));
            case "tables" ->
                List.of(
                        new Subcommand("create", TablesCreateCommand.class, TablesCreateCommand::new),
                        new Subcommand("check", TablesCheckCommand.class, TablesCheckCommand::new),
                        new Subcommand("delete", TablesDeleteCommand.class, TablesDeleteCommand::new),
                        new Subcommand("policy", TablesPolicyCommand.class, TablesPolicyCommand::new));
            case "cluster" ->
                List.of(
                        new Subcommand("status", ClusterStatusCommand.class, ClusterStatusCommand::new),
                        new Subcommand("repair", ClusterRepairCommand.class, ClusterRepairCommand::new));
            case "remote" ->
                List.of(
                        // As above: a method reference can load the classes of the registry.
                        new Subcommand("check", RemoteCheckCommand.class, () -> new RemoteCheckCommand()),
                        new Subcommand("serve", RemoteServeCommand.class, () -> new RemoteServeCommand()));
            default -> List.of();
        };
    }

    static List<String> names(String command) {
        return subcommands(command).stream().map(Subcommand::name).toList();
    }

    /**
     * Creates the command line with the commands that the words name.
     *
     * @param words the command line
     * @param misused handles a command that was called wrongly, and returns the exit code
     * @param failed handles a command that failed, and returns the exit code
     */
    CommandLine commandLine(
            List<String> words, ToIntBiFunction<CommandLine, String> misused, ToIntFunction<Exception> failed) {
        return withSubcommands("reservoir", prepared(this), words)
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
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

    /** Adds the subcommand that the first word names, with its subcommands, and lists the others. */
    private CommandLine withSubcommands(String name, CommandLine command, List<String> words) {
        String next = words.isEmpty() ? "" : words.get(0);
        for (Subcommand sub : subcommands(name)) {
            command.addSubcommand(
                    sub.name(),
                    sub.name().equals(next)
                            ? withSubcommands(next, prepared(created(sub)), words.subList(1, words.size()))
                            : sub.listed());
        }
        return command;
    }

    private Object created(Subcommand sub) {
        Object command = sub.creation().get();
        return command instanceof CliCommand active ? active.in(console, environment) : command;
    }

    /** Gives a command a help option and the layout of all commands. */
    private static CommandLine prepared(Object command) {
        CommandLine prepared = new CommandLine(command);
        prepared.getCommandSpec()
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
        return prepared;
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
