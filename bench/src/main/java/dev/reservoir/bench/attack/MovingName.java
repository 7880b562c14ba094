package dev.reservoir.bench.attack;

import dev.reservoir.bench.trouble.TroubleServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The address of a host name changes twice. The first time the old address refuses connects; the second time it does
 * not answer.
 */
final class MovingName implements Attack {

    @Override
    public void run(Verdict verdict) throws Exception {
        if (!hasSecondLoopback()) {
            verdict.skip("this machine has no address 127.0.0.2");
            return;
        }
        Path hosts = Files.createTempFile("reservoir-attack", ".hosts");
        try (TroubleServer server = TroubleServer.start()) {
            Child.run(
                    verdict,
                    server,
                    List.of(),
                    MovingNameProcess.class,
                    // The JVM reads host names from the file and caches an address for a second.
                    List.of("-Djdk.net.hosts.file=" + hosts, "-Dsun.net.inetaddr.ttl=1"),
                    List.of(Integer.toString(server.port()), hosts.toString()));
        } finally {
            Files.deleteIfExists(hosts);
        }
    }

    private static boolean hasSecondLoopback() {
        try (ServerSocket socket = new ServerSocket(0, 1, loopback(2))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** The address 127.0.0.n. */
    static InetAddress loopback(int last) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }
}
