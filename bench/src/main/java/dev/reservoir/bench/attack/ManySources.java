package dev.reservoir.bench.attack;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.reservoir.bench.trouble.TroubleServer;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Opens and closes 1,000 data sources, twenty at a time. Afterwards the process must not use more resources than
 * before.
 */
final class ManySources implements AttackPart.Attack {

    private static final int ALL = 1_000;
    private static final int AT_A_TIME = 20;
    private static final int SIZE = 2;
    private static final String APPLICATION = "many-sources";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Most bytes that the heap may grow by: data about compiled code, and caches of the driver. */
    private static final long HEAP_BYTES = 4_000_000;

    private record Used(int threads, long descriptors, long heapBytes, int names) {

        boolean within(Used before) {
            return threads <= before.threads
                    && descriptors <= before.descriptors
                    && heapBytes <= before.heapBytes + HEAP_BYTES
                    && names == before.names;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d threads, %d descriptors, %.1f MB heap, %d JMX names",
                    threads,
                    descriptors,
                    heapBytes / 1e6,
                    names);
        }
    }

    @Override
    public void run(Verdict verdict) throws Exception {
        try (TroubleServer server = TroubleServer.start()) {
            String url = server.url(APPLICATION);
            for (int i = 0; i < 5; i++) {
                batch(url, "warm-" + i);
            }
            Thread.sleep(6_000);
            Used before = used();
            for (int i = 0; i < ALL / AT_A_TIME; i++) {
                batch(url, "many-" + i);
            }
            long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
            Used after = used();
            while (!after.within(before) && System.nanoTime() - deadlineNanos < 0) {
                Thread.sleep(500);
                after = used();
            }
            verdict.check(after.within(before), "before " + before + ", afterwards " + after);
            int sessions = server.sessions(APPLICATION);
            verdict.check(sessions == 0, sessions + " sessions on the server");
        }
    }

    private static void batch(String url, String name) throws SQLException {
        List<ReservoirDataSource> open = new ArrayList<>();
        for (int i = 0; i < AT_A_TIME; i++) {
            ReservoirDataSource source = ReservoirDataSource.builder()
                    .name(name + "-" + i)
                    .url(url)
                    .maxOpen(SIZE)
                    .build();
            open.add(source);
            source.getConnection().close();
        }
        open.forEach(ReservoirDataSource::close);
    }

    private static Used used() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(50);
        }
        long descriptors = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
        return new Used(
                ManagementFactory.getThreadMXBean().getThreadCount(),
                descriptors,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                ManagementFactory.getPlatformMBeanServer().getMBeanCount());
    }
}
