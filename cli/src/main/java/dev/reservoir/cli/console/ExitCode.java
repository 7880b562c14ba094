package dev.reservoir.cli.console;

/** The exit codes of all commands. */
public final class ExitCode {
    public static final int OK = 0;
    public static final int FAILED = 1;
    public static final int MISUSED = 2;

    private ExitCode() {}

    /** The code of a command whose expectations hold or do not hold. */
    public static int of(boolean holds) {
        return holds ? OK : FAILED;
    }
}
