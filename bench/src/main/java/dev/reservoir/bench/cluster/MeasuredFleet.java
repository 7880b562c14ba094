package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Processes that share a budget and a database. Used by one thread only. */
final class MeasuredFleet {
    /** Numbers the fleets. Each fleet is a cluster of its own, so that several can use one table. */
    private static final AtomicInteger FLEETS = new AtomicInteger();

    private static final Duration READ_LIMIT = Duration.ofSeconds(5);

    final CountingDatabase database;

    /** Counts the writes of the items that hold permits. Several threads add to it. */
    final LongAdder permitWrites = new LongAdder();

    final List<FleetProcess> processes = new ArrayList<>();

    final World world;
    final FleetPlan plan;
    final String cluster = "fleet-" + FLEETS.incrementAndGet();
    private final Store observer;
    private StoreCounts countsOfEnded = StoreCounts.NONE;
    private int started;

    MeasuredFleet(World world, FleetPlan plan) {
        this.world = world;
        this.plan = plan;
        this.database = new CountingDatabase(world.time("database"), plan.ratePerSecond(), plan.burst());
        this.observer = world.store(world.time("observer"));
    }

    void start(int count) {
        for (int i = 0; i < count; i++) {
            String name = cluster + "-" + ++started;
            processes.add(
                    plan.side() == MeasuredSide.GO ? new GoProcess(name, this) : new ReservoirProcess(name, this));
        }
    }

    /** Called for every write that a process sends. */
    void sent(Write write) {
        if (write.key().startsWith("reservoir_permits#") || write.key().startsWith(GoItems.WINDOW + "#")) {
            permitWrites.increment();
        }
    }

    /** Whether every process has all its connections. */
    boolean isFull() {
        return processes.stream().allMatch(process -> database.rationed.open(process.name) >= plan.size());
    }

    /**
     * Waits until every process has all its connections. Returns the time since {@code sinceNanos}; infinite if the
     * limit passes first.
     */
    double nanosUntilFull(long sinceNanos, Duration limit) throws InterruptedException {
        return world.nanosUntil(sinceNanos, limit, this::isFull);
    }

    /** All requests to the table so far, including those of processes that have ended. */
    StoreCounts counts() {
        return processes.stream().map(FleetProcess::counts).reduce(countsOfEnded, StoreCounts::plus);
    }

    void kill(FleetProcess process) {
        process.die();
        database.rationed.disconnect(process.name);
        ended(process);
    }

    /** Ends all processes in order. Returns the time that it took; infinite if the limit passes first. */
    double leave(Duration limit) throws InterruptedException {
        long began = world.nanos();
        CompletableFuture<?>[] left = processes.stream()
                .map(process -> process.leave().toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Void> all = CompletableFuture.allOf(left);
        double nanos = world.nanosUntil(began, limit, all::isDone);
        List.copyOf(processes).forEach(this::ended);
        return nanos;
    }

    private void ended(FleetProcess process) {
        countsOfEnded = countsOfEnded.plus(process.counts());
        processes.remove(process);
    }

    /** The number of leases given out according to the table. */
    long leasesOut() throws InterruptedException {
        Item count = read(List.of(
                        plan.side() == MeasuredSide.RESERVOIR
                                ? "reservoir_count#" + cluster
                                : GoItems.COUNTER + "#" + cluster))
                .get(0);
        return count == null ? 0 : count.number(plan.side() == MeasuredSide.RESERVOIR ? "total" : "active", 0);
    }

    /** The number of these members that are still in the table. */
    long membersLeft(List<String> ids) throws InterruptedException {
        return read(ids.stream()
                        .map(id -> "reservoir_member#" + cluster + "#" + id)
                        .toList())
                .stream()
                .filter(item -> item != null)
                .count();
    }

    private List<@Nullable Item> read(List<String> keys) throws InterruptedException {
        CompletableFuture<Answer> answer = observer.read(keys, true).toCompletableFuture();
        if (Double.isInfinite(world.nanosUntil(world.nanos(), READ_LIMIT, answer::isDone))) {
            throw new IllegalStateException("the table does not answer");
        }
        return answer.join().items();
    }
}
