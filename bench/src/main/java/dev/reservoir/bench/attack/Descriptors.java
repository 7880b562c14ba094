package dev.reservoir.bench.attack;

import dev.reservoir.bench.trouble.TroubleServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The process has no file descriptor left for some seconds, and meanwhile the server ends all sessions. */
final class Descriptors implements Attack {

    /** Limit of file descriptors: enough to start a JVM, and few enough to take them all at once. */
    private static final int LIMIT = 200;

    @Override
    public void run(Verdict verdict) throws Exception {
        if (!Files.isExecutable(Path.of("/bin/sh"))) {
            verdict.skip("there is no /bin/sh to set a limit with");
            return;
        }
        try (TroubleServer server = TroubleServer.start()) {
            Child.run(
                    verdict,
                    server,
                    List.of("/bin/sh", "-c", "ulimit -n " + LIMIT + " && exec \"$@\"", "sh"),
                    DescriptorsProcess.class,
                    List.of("-Xmx256m"),
                    List.of(Integer.toString(server.port())));
        }
    }
}
