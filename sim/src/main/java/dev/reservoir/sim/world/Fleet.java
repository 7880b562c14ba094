package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.pools.Link;
import dev.reservoir.sim.result.Counters;
import dev.reservoir.sim.result.Outcome.BudgetUse;
import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Outcome.Waits;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.stats.Convergence;
import dev.reservoir.sim.stats.WaitTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The simulated world: the processes of each service, the database and the coordinator, all on one clock. Never blocks.
 */
public final class Fleet {
    /** The golden ratio as a 64-bit number. Multiplying by it spreads neighbouring numbers over all seeds. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    final VirtualTime clock = new VirtualTime();
    final Scenario scenario;
    final PoolKind kind;
    final SimulatedDatabase database;
    final FleetCoordinator coordinator;

    /** Checks every process; null if nothing is checked. */
    final @Nullable Promises promises;

    boolean tokensAway;

    private final List<ServiceCounts> services = new ArrayList<>();

    /** All processes ever started of which something is left, including those that are closing or have died. */
    private final List<SimulatedProcess> known = new ArrayList<>();

    private final List<Mark> marks = new ArrayList<>();
    private final WaitTimes waits = new WaitTimes();
    private final Convergence convergence;
    private final int[] started;
    private int runningCount;
    private boolean ended;

    /** Time since which there has been no fault and no change. */
    private long calmSinceNanos;

    /**
     * Creates a world at time zero, with no process started yet.
     *
     * @param promises checks every process; null if nothing is checked
     */
    public Fleet(Scenario scenario, PoolKind kind, @Nullable Promises promises) {
        this.scenario = scenario;
        this.kind = kind;
        this.promises = promises;
        SplittableRandom random = new SplittableRandom(scenario.seed());
        Duration longest = scenario.services().stream()
                .map(s -> s.pool().longestLifetime())
                .max(Duration::compareTo)
                .orElse(Duration.ofHours(1));
        database = new SimulatedDatabase(
                clock, scenario.database(), scenario.limiter().perSecond(), longest.toNanos(), random.split());
        coordinator = coordinator(random.split());
        started = new int[scenario.services().size()];
        Duration stableFor = scenario.expected().stableFor();
        convergence = new Convergence(scenario.services().size(), stableFor == null ? 0 : stableFor.toNanos());
        for (Scenario.Service service : scenario.services()) {
            ServiceCounts counts = new ServiceCounts(service, services.size(), convergence, waits);
            services.add(counts);
            counts.usableChanged(0);
        }
        scheduleStarts();
        FaultSchedule.schedule(this, random.split());
    }

    private FleetCoordinator coordinator(SplittableRandom random) {
        return kind == PoolKind.RESERVOIR
                ? new ClusterCoordinator(clock, scenario.limiter(), scenario.coordinator(), random)
                : new GoCoordinator(clock, scenario.limiter(), scenario.coordinator(), () -> runningCount, random);
    }

    private void scheduleStarts() {
        for (ServiceCounts counts : services) {
            Scenario.Service service = counts.service;
            for (int i = 0; i < service.instances(); i++) {
                long delay = service.startDelay()
                        .plus(service.instanceDelay().multipliedBy(i))
                        .toNanos();
                clock.start(delay, () -> startMissing(counts, 1));
            }
        }
    }

    // Starting and stopping processes.

    /** Starts up to {@code most} processes, but no more than the service should run. Returns the number started. */
    int startMissing(ServiceCounts counts, int most) {
        int count = Math.max(0, Math.min(most, counts.desired - counts.running.size()));
        for (int i = 0; i < count; i++) {
            start(counts);
        }
        return count;
    }

    void start(ServiceCounts counts) {
        if (ended) {
            return;
        }
        int number = ++started[counts.index];
        long seed = scenario.seed() + GOLDEN * (31L * (counts.index + 1) + 1_000_003L * number);
        String name = counts.service.name() + "-" + number;
        runningCount++;
        SimulatedProcess process = new SimulatedProcess(this, counts, name, seed);
        counts.running.add(process);
        known.add(process);
        counts.usableChanged(clock.nanos());
    }

    /**
     * Sets the number of processes that a service should run, and starts or stops the difference. Stops the youngest
     * first.
     */
    void scale(ServiceCounts counts, int desired) {
        counts.desired = desired;
        startMissing(counts, Integer.MAX_VALUE);
        while (counts.running.size() > desired) {
            stop(counts.running.get(counts.running.size() - 1));
        }
        counts.usableChanged(clock.nanos());
    }

    List<Listener<Link>> listenersOf(SimulatedProcess process) {
        return promises == null ? List.of() : promises.listenTo(process);
    }

    void stop(SimulatedProcess process) {
        remove(process);
        process.stop();
    }

    void crash(SimulatedProcess process) {
        remove(process);
        process.crash();
    }

    private void remove(SimulatedProcess process) {
        if (process.service.running.remove(process)) {
            runningCount--;
        }
    }

    /** Stops every process in order, and starts no more. */
    void end() {
        ended = true;
        services.forEach(counts -> List.copyOf(counts.running).forEach(this::stop));
    }

    List<ServiceCounts> services() {
        return services;
    }

    /** All processes of which something is left. */
    List<SimulatedProcess> known() {
        return List.copyOf(known);
    }

    // Time.

    public long nanos() {
        return clock.nanos();
    }

    /** Whether no further event is due at this moment. */
    boolean isSettled() {
        return clock.nextDueNanos() > clock.nanos();
    }

    /** Runs the next event if it is due by {@code untilNanos}. Returns whether it ran one. */
    public boolean step(long untilNanos) {
        return clock.step(untilNanos);
    }

    /** Runs all events that are due by then and sets the clock to that time. */
    public void moveTo(long nanos) {
        clock.advanceTo(nanos);
    }

    // Results.

    void mark(String kindOfMark, String text) {
        marks.add(new Mark(clock.nanos(), kindOfMark, text));
        calmSinceNanos = clock.nanos();
    }

    public List<Sample> sample() {
        coordinator.countLeases(services);
        List<Sample> samples = new ArrayList<>();
        for (ServiceCounts counts : services) {
            samples.add(counts.sample(clock.nanos()));
        }
        known.removeIf(SimulatedProcess::isNothingLeft);
        return samples;
    }

    public List<Mark> marks() {
        return List.copyOf(marks);
    }

    public List<Second> seconds() {
        return database.seconds.upTo(clock.nanos());
    }

    public List<Long> ages() {
        return database.ages();
    }

    public long ageStepNanos() {
        return database.ageStepNanos();
    }

    public Waits waits() {
        return waits.summary();
    }

    /**
     * The time from which every service had its target, for the first time that all kept it long enough; -1 if that has
     * not happened yet.
     */
    public long convergedAtNanos() {
        return convergence.atNanos(clock.nanos());
    }

    /**
     * The smallest share of its target that a service could use, with the service and the time. Null if no process ever
     * had its target.
     */
    public @Nullable Smallest smallestShare() {
        if (services.stream().noneMatch(counts -> counts.everFull)) {
            return null;
        }
        Smallest smallest = new Smallest(1, "", 0);
        for (ServiceCounts counts : services) {
            if (counts.smallestShare < smallest.share) {
                smallest = new Smallest(counts.smallestShare, counts.service.name(), counts.smallestShareAtNanos);
            }
        }
        return smallest;
    }

    /** The smallest usable share, and the service and the time at which it occurred. */
    public record Smallest(double share, String service, long atNanos) {}

    /** Compares the leases with the connections now. */
    public Match leases() {
        return coordinator.match(known, calmSinceNanos);
    }

    /** Whether leases and connections match, with the expectation and the finding in words. */
    public record Match(boolean holds, String expected, String found) {}

    /** The processes' use of the cluster budget; null if they have none. */
    public @Nullable Counters<BudgetUse> budget() {
        return coordinator.figures();
    }
}
