package dev.reservoir.bench.dsql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM with this one's class path. Ends in good order when its standard input ends, which is also when this one is gone. Never
 * outlives {@link #close}.
 */
final class Jvm implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final BufferedReader said;

    private Jvm(Process process) {
        this.process = process;
        this.said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts it. What it says to standard error goes where this one's goes. */
    static Jvm start(Class<?> main, List<String> options, List<String> arguments) throws IOException {
        return start(main, options, arguments, Redirect.INHERIT);
    }

    /** Starts one whose errors are of no interest. */
    static Jvm startSilent(Class<?> main, List<String> options) throws IOException {
        return start(main, options, List.of(), Redirect.DISCARD);
    }

    private static Jvm start(Class<?> main, List<String> options, List<String> arguments, Redirect errors)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(arguments);
        return new Jvm(new ProcessBuilder(command).redirectError(errors).start());
    }

    /** The next line that it says; null if it is gone. Blocks. */
    @Nullable
    String readLine() throws IOException {
        return said.readLine();
    }

    /** The next line, which must come. */
    String expectLine(String what) throws IOException {
        String line = readLine();
        if (line == null) {
            throw new IOException(what + " did not start");
        }
        return line;
    }

    /** As by SIGKILL, which it is where there are signals. Blocks until it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Lets one go on that {@linkplain #awaitLine waits for a line}. */
    void goOn() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Asks it to end. Does not wait. */
    void end() throws IOException {
        process.getOutputStream().close();
    }

    /** Waits for its end; false if it took too long or failed. */
    boolean endedWell() throws InterruptedException {
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
    static void awaitLine() throws IOException {
        int read;
        do {
            read = System.in.read();
        } while (read >= 0 && read != '\n');
    }

    /** For the other side: returns when standard input ends. */
    static void awaitEndOfInput() throws IOException {
        byte[] ignored = new byte[64];
        int read;
        do {
            read = System.in.read(ignored);
        } while (read >= 0);
    }
}
