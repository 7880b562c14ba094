package dev.reservoir.cli;

import java.util.Arrays;
import java.util.List;

/** The {@code reservoir} command. */
public final class Main {
    static final int OK = 0;
    static final int FAILED = 1;
    static final int MISUSED = 2;

    private static final String USAGE = """
            usage: reservoir demo [--for DURATION] [--plain]

              demo   keeps a reservoir of 40 connections on an embedded PostgreSQL, under load, with short lifetimes
                     and a limit of 20 new connections a second, and shows it live
                       --for DURATION   how long, such as 20s or 2m; default 25s
                       --plain          a line a second instead of a picture, as when the output is not a terminal
            """;

    private Main() {}

    /** Runs the command that the first argument names, and ends with 0, 1 if it failed, or 2 if it was called wrongly. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    static int run(String... args) {
        if (args.length > 0 && List.of("--help", "-h", "help").contains(args[0])) {
            System.out.print(USAGE);
            return OK;
        }
        if (args.length == 0 || !args[0].equals("demo")) {
            return misused(args.length == 0 ? "no command given" : "unknown command '" + args[0] + "'; known: demo");
        }
        Demo.Options options;
        try {
            options = Demo.Options.parse(Arrays.asList(args).subList(1, args.length));
        } catch (IllegalArgumentException e) {
            return misused(String.valueOf(e.getMessage()));
        }
        try {
            return new Demo(options, System.out).run();
        } catch (Exception e) {
            System.err.println("reservoir: the demo failed: " + e);
            return FAILED;
        }
    }

    private static int misused(String what) {
        System.err.println("reservoir: " + what);
        System.err.print(USAGE);
        return MISUSED;
    }
}
