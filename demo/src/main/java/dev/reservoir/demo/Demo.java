package dev.reservoir.demo;

import dev.reservoir.cluster.inspect.ClusterInspectionReport;
import dev.reservoir.core.util.Text;
import dev.reservoir.demo.fault.Fault;
import dev.reservoir.demo.fault.FaultInjector;
import dev.reservoir.demo.fleet.DemoDynamoDb;
import dev.reservoir.demo.fleet.EmulatedDatabase;
import dev.reservoir.demo.fleet.HikariServicePool;
import dev.reservoir.demo.fleet.InParallel;
import dev.reservoir.demo.fleet.ReservoirServicePool;
import dev.reservoir.demo.fleet.Side;
import dev.reservoir.demo.sample.Sampler;
import dev.reservoir.demo.sample.Snapshot;
import dev.reservoir.demo.view.DemoSummary;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs two fleets with the same load on two emulated clusters with the same limits. One fleet uses reservoirs that
 * share a budget on DynamoDB, the other uses HikariCP. Takes a snapshot once a second until it is closed. Never prints
 * anything.
 */
public final class Demo implements AutoCloseable {
    static final String RESERVOIR = "Reservoir";
    static final String HIKARI = "HikariCP";

    private static final Logger log = LoggerFactory.getLogger(Demo.class);
    private static final long TICK_MILLIS = 100;
    private static final int TICKS_PER_SNAPSHOT = 10;

    private final DemoDynamoDb coordinator;
    private final List<Side> sides;
    private final FaultInjector faults;
    private final Sampler sampler;
    private final long beganNanos;
    private final Map<String, Double> fullAfter = new ConcurrentHashMap<>();
    private final List<Consumer<Snapshot>> listeners = new CopyOnWriteArrayList<>();
    private final @Nullable Duration dropAt;
    private final Thread watcher = new Thread(this::watch, "demo-watch");
    private volatile boolean stopped;

    private Demo(DemoDynamoDb coordinator, List<Side> sides, @Nullable Duration dropAt) {
        this.coordinator = coordinator;
        this.sides = sides;
        this.dropAt = dropAt;
        beganNanos = System.nanoTime();
        faults = new FaultInjector(sides, coordinator, beganNanos);
        sampler = new Sampler(sides, faults, beganNanos);
    }

    /**
     * Starts everything. Blocks for some seconds, until the databases answer and the services begin to fill.
     *
     * @param dropAt the time after which the demo drops every connection by itself; null for never
     */
    public static Demo start(@Nullable Duration dropAt) {
        // They start in parallel, because each waits for something else.
        FutureTask<DemoDynamoDb> coordinating = InParallel.start(DemoDynamoDb::start);
        FutureTask<EmulatedDatabase> first = InParallel.start(EmulatedDatabase::start);
        FutureTask<EmulatedDatabase> second = InParallel.start(EmulatedDatabase::start);
        try {
            DemoDynamoDb coordinator = InParallel.await(coordinating);
            EmulatedDatabase database = InParallel.await(first);
            Side reservoir = new Side(
                    RESERVOIR,
                    database,
                    (service, life) -> new ReservoirServicePool(service, life, database, coordinator));
            EmulatedDatabase other = InParallel.await(second);
            Side hikari = new Side(HIKARI, other, (service, life) -> new HikariServicePool(life, other));
            Demo demo = new Demo(coordinator, List.of(reservoir, hikari), dropAt);
            demo.run();
            return demo;
        } catch (RuntimeException | Error e) {
            InParallel.run(List.of(coordinating, first, second), InParallel::close);
            throw e;
        }
    }

    private void run() {
        sides.forEach(Side::start);
        watcher.setDaemon(true);
        watcher.start();
    }

    /** Adds a listener for every snapshot. The sampling thread calls it, so it must not block. */
    public void listen(Consumer<Snapshot> listener) {
        listeners.add(listener);
    }

    public FaultInjector faults() {
        return faults;
    }

    private void watch() {
        boolean dropped = dropAt == null;
        try {
            for (long tick = 1; !stopped; tick++) {
                long wait = beganNanos + TimeUnit.MILLISECONDS.toNanos(tick * TICK_MILLIS) - System.nanoTime();
                if (wait > 0) {
                    TimeUnit.NANOSECONDS.sleep(wait);
                }
                long elapsed = System.nanoTime() - beganNanos;
                if (!dropped && dropAt != null && elapsed >= dropAt.toNanos()) {
                    dropped = true;
                    faults.begin(Fault.MASS_DROP);
                }
                step(tick, elapsed);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void step(long tick, long elapsed) {
        try {
            faults.tick();
            for (Side side : sides) {
                if (!fullAfter.containsKey(side.name()) && side.isFull()) {
                    fullAfter.put(side.name(), elapsed / 1e9);
                }
            }
            if (tick % TICKS_PER_SNAPSHOT == 0) {
                Snapshot snapshot = sampler.sample();
                listeners.forEach(listener -> listener.accept(snapshot));
            }
        } catch (RuntimeException e) {
            // A service may stop while it is sampled. The next snapshot follows a moment later.
            log.debug("Demo: snapshot failed  error=\"{}\"", Text.oneLine(e));
        }
    }

    /**
     * Stops the load, then the services, and returns the results. The databases run until the demo is closed. Blocks
     * until all connections and leases are released.
     */
    public DemoSummary finish() {
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        stopWatching();
        faults.close();
        InParallel.run(sides, Side::stopWorking);
        coordinator.away(false);
        List<DemoSummary.SideSummary> figures = sides.stream()
                .map(side -> DemoSummary.of(side, fullAfter.get(side.name())))
                .toList();
        ClusterInspectionReport.Shares running = coordinator.inspect().shares();
        InParallel.run(sides, Side::closeServices);
        ClusterInspectionReport.Shares after = coordinator.inspect().shares();
        return new DemoSummary(seconds, figures, DemoSummary.leases(running, after), faults.events());
    }

    private void stopWatching() {
        stopped = true;
        watcher.interrupt();
        try {
            watcher.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops everything that the demo started. Blocks. */
    @Override
    public void close() {
        stopWatching();
        try {
            InParallel.run(sides, Side::close);
        } finally {
            coordinator.close();
        }
    }
}
