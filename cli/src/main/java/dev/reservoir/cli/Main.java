package dev.reservoir.cli;

import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.RefusedInputException;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.LogManager;
import picocli.CommandLine;

/** The entry point of the {@code reservoir} command. */
public final class Main {
    private Main() {}

    /**
     * Runs the command that the first argument names. Exits with 0, with 1 if the command failed, or with 2 if it was
     * called wrongly.
     */
    public static void main(String[] args) {
        setUpLogging(List.of(args));
        int code = run(Console.ofProcess(), System.getenv(), args);
        System.out.flush();
        System.exit(code);
    }

    /**
     * Turns logging off, except for a command that runs as a service: its log goes to standard error. The engines of a
     * simulation log nothing, and setting up logging would take longer than a small run. The AWS SDK logs a lot, but
     * its errors contain what matters. In the demo, log lines about intended faults would disturb the display.
     */
    private static void setUpLogging(List<String> words) {
        System.setProperty("slf4j.internal.verbosity", "WARN");
        boolean isRemote = !words.isEmpty() && words.get(0).equals("remote");
        if (isRemote || (!words.isEmpty() && words.get(0).startsWith("flight-"))) {
            // Drivers and gRPC log with this, in a form of their own. Their errors contain what matters.
            LogManager.getLogManager().reset();
        }
        if (isRemote && words.size() >= 2 && words.get(1).equals("serve")) {
            System.setProperty("slf4j.provider", "org.slf4j.simple.SimpleServiceProvider");
            System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
            System.setProperty("org.slf4j.simpleLogger.log.dev.reservoir.remote", "info");
            System.setProperty("org.slf4j.simpleLogger.showDateTime", "true");
            System.setProperty("org.slf4j.simpleLogger.dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
            System.setProperty("org.slf4j.simpleLogger.showThreadName", "false");
            System.setProperty("org.slf4j.simpleLogger.showShortLogName", "true");
        } else {
            System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
        }
    }

    public static int run(Console console, Map<String, String> environment, String... args) {
        Commands commands = new Commands(console, environment);
        List<String> words = spelledOut(List.of(args), Commands.names("sim"));
        CommandLine line = commands.commandLine(
                words, (command, wrong) -> misused(console, command, wrong), e -> failed(console, e));
        if (words.isEmpty()) {
            return misused(console, line, "no command given");
        }
        List<String> known = Commands.names("reservoir");
        if (!words.get(0).startsWith("-") && !known.contains(words.get(0))) {
            return misused(console, line, "unknown command '" + words.get(0) + "'; known: " + String.join(", ", known));
        }
        return line.execute(words.toArray(String[]::new));
    }

    /** Expands short forms: {@code help X} becomes {@code X --help}, and {@code sim} alone becomes {@code sim run}. */
    static List<String> spelledOut(List<String> args, List<String> simCommands) {
        List<String> words = new ArrayList<>(args);
        if (!words.isEmpty() && words.get(0).equals("help")) {
            words.remove(0);
            words.add("--help");
        }
        if (!words.isEmpty() && words.get(0).equals("sim")) {
            String next = words.size() > 1 ? words.get(1) : "";
            if (!simCommands.contains(next) && !next.equals("--help") && !next.equals("-h")) {
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
        return ExitCode.MISUSED;
    }

    private static int failed(Console console, Exception e) {
        if (e instanceof RefusedInputException refused) {
            refused.lines().forEach(console.err()::println);
            return ExitCode.MISUSED;
        }
        console.err().println("reservoir: " + (e instanceof CommandFailedException ? e.getMessage() : Text.oneLine(e)));
        return ExitCode.FAILED;
    }
}
