package dev.reservoir.cli;

import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.RefusedInputException;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;

/** The entry point of the {@code reservoir} command. */
public final class Main {
    public static final int OK = 0;
    public static final int FAILED = 1;
    public static final int MISUSED = 2;

    private static final Set<String> SILENT = Set.of("demo", "emulator", "sim", "tables", "cluster");

    private Main() {}

    /**
     * Runs the command that the first argument names. Exits with 0, with 1 if the command failed, or with 2 if it was
     * called wrongly.
     */
    public static void main(String[] args) {
        if (args.length > 0 && SILENT.contains(args[0])) {
            beSilent();
        }
        int code = run(args);
        System.out.flush();
        System.exit(code);
    }

    /**
     * Turns logging off. The engines of a simulation log nothing, and setting up logging would take longer than a small
     * run. The AWS SDK logs a lot, but its errors contain what matters. In the demo, log lines about intended faults
     * would disturb the display.
     */
    private static void beSilent() {
        System.setProperty("slf4j.internal.verbosity", "WARN");
        System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
    }

    public static int run(String... args) {
        return run(Console.ofProcess(), args);
    }

    public static int run(Console console, String... args) {
        return run(console, System.getenv(), args);
    }

    public static int run(Console console, Map<String, String> environment, String... args) {
        CommandLine commands = Commands.all(
                console,
                environment,
                List.of(args),
                (command, wrong) -> misused(console, command, wrong),
                e -> failed(console, e));
        if (args.length == 0) {
            return misused(console, commands, "no command given");
        }
        List<String> words = spelledOut(List.of(args), commands);
        if (!words.get(0).startsWith("-") && !commands.getSubcommands().containsKey(words.get(0))) {
            String known = String.join(", ", commands.getSubcommands().keySet());
            return misused(console, commands, "unknown command '" + words.get(0) + "'; known: " + known);
        }
        return commands.execute(words.toArray(String[]::new));
    }

    /** Expands short forms: {@code help X} becomes {@code X --help}, and {@code sim} alone becomes {@code sim run}. */
    private static List<String> spelledOut(List<String> args, CommandLine commands) {
        List<String> words = new ArrayList<>(args);
        if (words.get(0).equals("help")) {
            words.remove(0);
            words.add("--help");
        }
        CommandLine sim = commands.getSubcommands().get("sim");
        if (words.get(0).equals("sim") && sim != null) {
            String next = words.size() > 1 ? words.get(1) : "";
            if (!sim.getSubcommands().containsKey(next) && !next.equals("--help") && !next.equals("-h")) {
                words.add(1, "run");
            }
        }
        return words;
    }

    private static int misused(Console console, CommandLine command, String wrong) {
        console.err().println("reservoir: " + wrong);
        CommandLine.Help help = command.getHelp();
        console.err().print("usage: " + help.synopsis(0));
        console.err().println("More: " + command.getCommandSpec().qualifiedName() + " --help");
        return MISUSED;
    }

    private static int failed(Console console, Exception e) {
        if (e instanceof RefusedInputException refused) {
            refused.lines().forEach(console.err()::println);
            return MISUSED;
        }
        console.err().println("reservoir: " + (e instanceof CommandFailedException ? e.getMessage() : Text.oneLine(e)));
        return FAILED;
    }
}
