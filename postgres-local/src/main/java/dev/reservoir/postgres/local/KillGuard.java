package dev.reservoir.postgres.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a server whose JVM was killed and could not end it. A small shell reads from a pipe to the JVM. The operating
 * system closes the pipe when the JVM is gone, however it ended. Then the shell stops the server at once and deletes
 * its folder. Does nothing on systems without {@code /bin/sh}.
 */
final class KillGuard implements AutoCloseable {
    private static final Path SHELL = Path.of("/bin/sh");

    /** Longest time that an ending guard takes: it waits up to 30 s for the server. */
    private static final int END_SECONDS = 40;

    /**
     * Ignores signals that a terminal sends to the JVM as well, since the JVM then ends the server itself. Before it
     * sends a signal, it checks that the process is the server in this folder, because the process id may be another
     * one's by now. QUIT makes PostgreSQL end at once.
     */
    private static final String SCRIPT = """
            trap '' HUP INT TERM
            while read -r unused; do :; done
            is_server() {
                { cat "/proc/$2/cmdline" || ps -o args= -p "$2"; } 2>/dev/null | tr '\\0' ' ' | grep -q -F -e "$1/data"
            }
            pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
            seconds=0
            while [ -n "$pid" ] && [ "$seconds" -lt 30 ] && is_server "$1" "$pid"; do
                kill -QUIT "$pid" 2>/dev/null
                sleep 1
                seconds=$((seconds + 1))
            done
            rm -rf -- "$1"
            """;

    private final @Nullable Process shell;

    private KillGuard(@Nullable Process shell) {
        this.shell = shell;
    }

    /** Starts to guard the server in this folder. The server may start later. */
    static KillGuard of(Path directory) throws IOException {
        if (!Files.isExecutable(SHELL)) {
            return new KillGuard(null);
        }
        return new KillGuard(
                new ProcessBuilder(SHELL.toString(), "-c", SCRIPT, "reservoir-postgres-guard", directory.toString())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start());
    }

    /** Ends the guard, and whatever is left of the server. Blocks until that is done. */
    @Override
    public void close() {
        if (shell == null) {
            return;
        }
        try {
            shell.getOutputStream().close();
            if (!shell.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                shell.destroyForcibly();
            }
        } catch (IOException e) {
            shell.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
