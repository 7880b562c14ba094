package dev.reservoir.bench.attack;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.Polling;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.FaultyProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The address of a host name changes twice. The first time the old address refuses connects; the second time it does
 * not answer.
 */
final class MovingName implements AttackPart.Attack {

    private static final String HOST = "database.attack";
    private static final int SIZE = 10;
    private static final Duration RECOVERY = Duration.ofSeconds(10);

    @Override
    public void run(Verdict verdict) throws Exception {
        if (!hasSecondLoopback()) {
            verdict.skip("this machine has no address 127.0.0.2");
            return;
        }
        Path hosts = Files.createTempFile("reservoir-attack", ".hosts");
        try {
            // The JVM reads host names from the file and caches an address for a second.
            List<String> options = List.of("-Djdk.net.hosts.file=" + hosts, "-Dsun.net.inetaddr.ttl=1");
            Child.run(verdict, List.of(), MovingName.class, options, hosts.toString());
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
    private static InetAddress loopback(int last) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    /** The child, which reads host names from a file. Takes the server's port and that file. */
    public static void main(String[] args) throws Exception {
        Jvm.silenceLogs();
        int server = Integer.parseInt(args[0]);
        Path hosts = Path.of(args[1]);
        InetAddress one = loopback(1);
        InetAddress two = loopback(2);
        FaultyProxy first = FaultyProxy.to(server, one, 0);
        FaultyProxy second = FaultyProxy.to(server, two, first.port());
        point(hosts, one);
        ReservoirDataSource pool = ReservoirDataSource.builder()
                .name("moving")
                .url(Child.url("moving", HOST, first.port()))
                .maxOpen(SIZE)
                .acquireTimeout(Duration.ofSeconds(5))
                .build();
        Checkouts checkouts = new Checkouts(pool, true);
        checkouts.start(4);
        boolean opened = Polling.until(RECOVERY, () -> first.open() == SIZE);
        Child.report(opened, first.open() + " connections to the first address");

        point(hosts, two);
        first.close();
        moved("refuses", checkouts, second);

        FaultyProxy third = FaultyProxy.to(server, one, second.port());
        point(hosts, one);
        second.loseOpen();
        second.comers(FaultyProxy.Mode.REFUSE);
        moved("falls silent", checkouts, third);
        Child.done();
        System.exit(0);
    }

    private static void moved(String what, Checkouts checkouts, FaultyProxy target) throws Exception {
        long failedBefore = checkouts.failed.sum();
        // Requests that are already running end first.
        Thread.sleep(50);
        boolean served = Checkouts.awaitMore(checkouts.served, RECOVERY);
        boolean full = Polling.until(RECOVERY, () -> target.open() == SIZE);
        Child.report(
                served && full,
                "the old address " + what + ": " + (served ? "served" : "NOT served") + " again, " + target.open()
                        + " of " + SIZE + " connections to the new one, " + (checkouts.failed.sum() - failedBefore)
                        + " requests lost");
    }

    private static void point(Path hosts, InetAddress address) throws Exception {
        Files.writeString(hosts, address.getHostAddress() + " " + HOST + "\n");
        // Longer than the JVM caches an address.
        Thread.sleep(1_500);
    }
}
