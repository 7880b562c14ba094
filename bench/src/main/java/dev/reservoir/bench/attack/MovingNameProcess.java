package dev.reservoir.bench.attack;

import dev.reservoir.bench.Polling;
import dev.reservoir.bench.Quiet;
import dev.reservoir.bench.Relay;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The child of {@link MovingName}. It reads host names from a file. */
final class MovingNameProcess {

    private static final String HOST = "database.attack";
    private static final int SIZE = 10;
    private static final Duration RECOVERY = Duration.ofSeconds(10);

    private MovingNameProcess() {}

    /** Takes the server's port and the file with the host names. */
    public static void main(String[] args) throws Exception {
        Quiet.logs();
        int server = Integer.parseInt(args[0]);
        Path hosts = Path.of(args[1]);
        InetAddress one = MovingName.loopback(1);
        InetAddress two = MovingName.loopback(2);
        Relay first = new Relay(server, one, 0);
        Relay second = new Relay(server, two, first.port());
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
        Child.say(opened, first.open() + " connections to the first address");

        point(hosts, two);
        first.close();
        moved("refuses", checkouts, second);

        Relay third = new Relay(server, one, second.port());
        point(hosts, one);
        second.vanish();
        second.refuse();
        moved("falls silent", checkouts, third);
        Child.done();
        System.exit(0);
    }

    private static void moved(String what, Checkouts checkouts, Relay target) throws Exception {
        long failedBefore = checkouts.failed.sum();
        // Requests that are already running end first.
        Thread.sleep(50);
        boolean served = Checkouts.awaitMore(checkouts.served, RECOVERY);
        boolean full = Polling.until(RECOVERY, () -> target.open() == SIZE);
        Child.say(
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
