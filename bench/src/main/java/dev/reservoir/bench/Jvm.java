package dev.reservoir.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM with this one's class path. Ends in good order when its standard input ends, which is also when this one is gone. Never
 * outlives {@link #close}.
 */
public final class Jvm implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final BufferedReader said;

    private Jvm(Process process) {
        this.process = process;
        this.said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts it. What it says to standard error goes where this one's goes. */
    public static Jvm start(Class<?> main, List<String> options, List<String> arguments) throws IOException {
        return start(List.of(), main, options, arguments, Map.of(), Redirect.INHERIT);
    }

    /** Starts one whose errors are of no interest. */
    public static Jvm startSilent(Class<?> main, List<String> options) throws IOException {
        return start(List.of(), main, options, List.of(), Map.of(), Redirect.DISCARD);
    }

    /**
     * Starts one by a command that sets limits and then runs the words that follow it. Its errors are of no interest.
     *
     * @param environment variables that it gets beside this one's: the place for secrets, since everybody can see the arguments
     */
    public static Jvm startLimited(
            List<String> command,
            Class<?> main,
            List<String> options,
            List<String> arguments,
            Map<String, String> environment)
            throws IOException {
        return start(command, main, options, arguments, environment, Redirect.DISCARD);
    }

    private static Jvm start(
            List<String> before,
            Class<?> main,
            List<String> options,
            List<String> arguments,
            Map<String, String> environment,
            Redirect errors)
            throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors);
        builder.environment().putAll(environment);
        return new Jvm(builder.start());
    }

    /** The next line that it says; null if it is gone. Blocks. */
    public @Nullable String readLine() throws IOException {
        return said.readLine();
    }

    /** The next line, which must come. */
    public String expectLine(String what) throws IOException {
        String line = readLine();
        if (line == null) {
            throw new IOException(what + " did not start");
        }
        return line;
    }

    /** As by SIGKILL, which it is where there are signals. Blocks until it is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Lets one go on that {@linkplain #awaitLine waits for a line}. */
    public void goOn() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Asks it to end. Does not wait. */
    public void end() throws IOException {
        process.getOutputStream().close();
    }

    /** Waits for its end; false if it took too long or failed. */
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

    /** For the other side: returns when a line has come, or standard input has ended. */
    public static void awaitLine() throws IOException {
        int read;
        do {
            read = System.in.read();
        } while (read >= 0 && read != '\n');
    }

    /** For the other side: returns when standard input ends. */
    public static void awaitEndOfInput() throws IOException {
        byte[] ignored = new byte[64];
        int read;
        do {
            read = System.in.read(ignored);
        } while (read >= 0);
    }
}
