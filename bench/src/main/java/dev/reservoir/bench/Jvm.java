package dev.reservoir.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM with the class path of this one. It ends in order when its standard input ends, which also happens when
 * this JVM ends. Never outlives {@link #close}.
 */
public final class Jvm implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final BufferedReader output;

    private Jvm(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts a JVM. Its standard error goes to the standard error of this one. */
    public static Jvm start(Class<?> main, List<String> options, List<String> arguments) throws IOException {
        return start(builder(List.of(), main, options, arguments).redirectError(Redirect.INHERIT));
    }

    /** Starts a JVM whose standard error is discarded. */
    public static Jvm startSilent(Class<?> main, List<String> options) throws IOException {
        return start(builder(List.of(), main, options, List.of()));
    }

    /**
     * Starts a JVM by a command that sets limits and then runs the words after it. Its standard error is discarded.
     *
     * @param environment variables that it gets besides those of this JVM. Secrets belong here, because every user can
     *     see the arguments.
     */
    public static Jvm startLimited(
            List<String> command,
            Class<?> main,
            List<String> options,
            List<String> arguments,
            Map<String, String> environment)
            throws IOException {
        ProcessBuilder builder = builder(command, main, options, arguments);
        builder.environment().putAll(environment);
        return start(builder);
    }

    private static ProcessBuilder builder(
            List<String> before, Class<?> main, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectError(Redirect.DISCARD);
    }

    private static Jvm start(ProcessBuilder builder) throws IOException {
        return new Jvm(builder.start());
    }

    /** The next line of its standard output, or null if it has ended. Blocks. */
    public @Nullable String readLine() throws IOException {
        return output.readLine();
    }

    /** The next line of its standard output. Blocks, and fails if the JVM has ended. */
    public String expectLine(String what) throws IOException {
        String line = readLine();
        if (line == null) {
            throw new IOException(what + " did not start");
        }
        return line;
    }

    /** Kills it, by SIGKILL on systems with signals. Blocks until it has ended. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Lets it go on after {@linkplain #awaitLine it has waited for a line}. */
    public void resume() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Asks it to end. Does not block. */
    public void end() throws IOException {
        process.getOutputStream().close();
    }

    /** Waits for its end. Returns false if it took too long or failed. */
    public boolean endedWell() throws InterruptedException {
        return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    @Override
    public void close() throws IOException {
        try {
            end();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Silences java.util.logging, so that messages of the pools do not distort the figures. Logback is silent anyway.
     */
    public static void silenceLogs() {
        LogManager.getLogManager().reset();
        Logger.getLogger("").setLevel(Level.OFF);
    }

    /** For the other JVM: blocks until a line arrives or standard input ends. */
    public static void awaitLine() throws IOException {
        int read;
        do {
            read = System.in.read();
        } while (read >= 0 && read != '\n');
    }

    /** For the other JVM: blocks until standard input ends. */
    public static void awaitEndOfInput() throws IOException {
        System.in.transferTo(OutputStream.nullOutputStream());
    }
}
