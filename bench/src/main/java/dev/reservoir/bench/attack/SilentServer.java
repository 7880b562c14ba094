package dev.reservoir.bench.attack;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Polling;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The server accepts every connection and never answers. Callers must meet their deadlines, and sockets and threads
 * must not accumulate.
 */
final class SilentServer implements AttackPart.Attack {

    private static final String OWN = "silent-server-socket";
    private static final int SIZE = 10;
    private static final Duration ACQUIRE = Duration.ofSeconds(1);
    private static final Duration FILL = Duration.ofSeconds(2);
    private static final Duration CONNECT = Duration.ofSeconds(2);

    /** Time that a loaded machine may add to a deadline. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    /** Longest time for close: the drain of 10 s plus a margin. */
    private static final Duration CLOSE = Duration.ofSeconds(15);

    private static final Duration ATTACKED = Duration.ofSeconds(10);

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger openMax = new AtomicInteger();

    @Override
    public void run(Verdict verdict) throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (ServerSocket listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress())) {
            Daemons.start(OWN, () -> accept(listening));
            long beganNanos = System.nanoTime();
            ReservoirDataSource pool = ReservoirDataSource.builder()
                    .name("silent-server")
                    .url("jdbc:postgresql://127.0.0.1:" + listening.getLocalPort() + "/postgres?user=nobody")
                    .maxOpen(SIZE)
                    .acquireTimeout(ACQUIRE)
                    .connectTimeout(CONNECT)
                    .initialFillTimeout(FILL)
                    .build();
            Duration build = since(beganNanos);
            verdict.check(build.compareTo(FILL.plus(SLACK)) <= 0, "build() returned after " + text(build));
            Checkouts checkouts = new Checkouts(pool, true);
            checkouts.start(8);
            Thread.sleep(ATTACKED.toMillis());
            int hanging = checkouts.stop(ACQUIRE.plus(SLACK));
            verdict.check(
                    hanging == 0 && checkouts.longest().compareTo(ACQUIRE.plus(SLACK)) <= 0,
                    "longest checkout " + text(checkouts.longest()) + " of 1 s allowed, " + hanging + " hang");
            verdict.check(openMax.get() <= 2 * SIZE, "at most " + openMax.get() + " sockets open at once");
            beganNanos = System.nanoTime();
            pool.close();
            Duration close = since(beganNanos);
            verdict.check(close.compareTo(CLOSE) <= 0, "close() took " + text(close));
            boolean gone =
                    Polling.until(CLOSE, () -> open.get() == 0 && left(before).isEmpty());
            verdict.check(gone, "then " + open.get() + " sockets and these threads are left: " + left(before));
        }
    }

    private void accept(ServerSocket listening) {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                openMax.accumulateAndGet(open.incrementAndGet(), Math::max);
                Daemons.start(OWN, () -> readToTheEnd(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void readToTheEnd(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // A reset ends the connection too.
        } finally {
            open.decrementAndGet();
        }
    }

    /**
     * The names of threads that did not exist before, except those of this attack and the driver's, which has one
     * thread for all connections.
     */
    private static List<String> left(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> !name.equals(OWN) && !name.startsWith("PostgreSQL-JDBC"))
                .sorted()
                .toList();
    }

    private static Duration since(long beganNanos) {
        return Duration.ofNanos(System.nanoTime() - beganNanos);
    }

    private static String text(Duration time) {
        return time.toMillis() + " ms";
    }
}
