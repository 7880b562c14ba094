package dev.reservoir.bench.attack;

import dev.reservoir.bench.trouble.TroubleServer;
import java.util.List;

/** The process runs out of memory several times while threads acquire and release connections. */
final class Heap implements Attack {

    @Override
    public void run(Verdict verdict) throws Exception {
        try (TroubleServer server = TroubleServer.start()) {
            Child.run(
                    verdict,
                    server,
                    List.of(),
                    HeapProcess.class,
                    List.of("-Xmx48m", "-XX:+UseSerialGC"),
                    List.of(Integer.toString(server.port())));
        }
    }
}
