package dev.reservoir.cli;

import dev.reservoir.core.Text;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reservoir demo}. */
@Command(
        name = "demo",
        customSynopsis = "reservoir demo [--for DURATION] [--plain]",
        description = {
            "Shows a reservoir at work on an embedded PostgreSQL.",
            "Keeps 40 connections under load, with short lifetimes and a limit of 20 new connections a second, and shows it"
                    + " live."
        })
final class DemoCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofHours(24);

    private final Console console;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            arity = "0..1",
            fallbackValue = "nothing",
            description = "how long, such as 20s or 2m; default 25s")
    private String length = "25s";

    @Option(
            names = "--plain",
            description = "a line a second instead of a picture, as when the output is not a terminal")
    private boolean plain;

    DemoCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Demo.Options options = new Demo.Options(duration(length), plain || !console.terminal());
        try {
            return new Demo(options, console.out()).run();
        } catch (Exception e) {
            console.err().println("reservoir: the demo failed: " + Text.oneLine(e));
            return Main.FAILED;
        }
    }

    private static Duration duration(String text) {
        Duration value = null;
        if (text.matches("\\d{1,9}(s|m|h)")) {
            long number = Long.parseLong(text.substring(0, text.length() - 1));
            value = switch (text.charAt(text.length() - 1)) {
                case 's' -> Duration.ofSeconds(number);
                case 'm' -> Duration.ofMinutes(number);
                default -> Duration.ofHours(number);
            };
        }
        if (value == null || value.isZero() || value.compareTo(LONGEST) > 0) {
            throw new Misused("--for is '" + text + "'; allowed: such as 20s, 2m or 1h, at most 24h");
        }
        return value;
    }
}
