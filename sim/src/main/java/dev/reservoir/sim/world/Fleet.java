package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.pools.Link;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Outcome.Waits;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The pretended world: processes by service, the database and the coordinator, all on one clock. */
public final class Fleet {
    /** Spreads seeds that are close to each other over all numbers. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    final VirtualTime clock = new VirtualTime();
    final Scenario scenario;
    final PoolKind kind;
    final SimulatedDatabase database;
    final FleetCoordinator coordinator;

    /** Checks every process; null if nothing is checked. */
    @Nullable
    Promises promises;

    boolean tokensAway;

    private final List<ServiceCounts> services = new ArrayList<>();

    /** All that were ever started, as long as something is left of them: those included that are ending or have died. */
    private final List<SimulatedProcess> known = new ArrayList<>();

    private final List<Mark> marks = new ArrayList<>();
    private final WaitTimes waits = new WaitTimes();
    private final Convergence convergence;
    private final int[] started;
    private int runningCount;
    private boolean ended;

    /** Since when nothing has gone wrong or has been changed. */
    private long calmSinceNanos;

    /** A world that stands at its beginning, with nothing started. */
    public Fleet(Scenario scenario, PoolKind kind) {
        this.scenario = scenario;
        this.kind = kind;
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
            ServiceCounts books = new ServiceCounts(service, services.size(), convergence, waits);
            services.add(books);
            books.usableChanged(0);
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
        for (ServiceCounts books : services) {
            Scenario.Service service = books.service;
            for (int i = 0; i < service.instances(); i++) {
                long delay = service.startDelay()
                        .plus(service.instanceDelay().multipliedBy(i))
                        .toNanos();
                clock.start(delay, () -> startMissing(books, 1));
            }
        }
    }

    /** Has every process checked. Only before the first is started. */
    void watchedBy(Promises by) {
        if (promises != null || !known.isEmpty()) {
            throw new IllegalStateException("bug: a fleet is watched twice, or too late");
        }
        promises = by;
    }

    // The life of processes.

    /** Starts so many processes, but no more than are to run. Answers how many. */
    int startMissing(ServiceCounts books, int most) {
        int count = Math.max(0, Math.min(most, books.desired - books.running.size()));
        for (int i = 0; i < count; i++) {
            start(books);
        }
        return count;
    }

    void start(ServiceCounts books) {
        if (ended) {
            return;
        }
        int number = ++started[books.index];
        long seed = scenario.seed() + GOLDEN * (31L * (books.index + 1) + 1_000_003L * number);
        String name = books.service.name() + "-" + number;
        runningCount++;
        SimulatedProcess process = new SimulatedProcess(this, books, name, seed);
        books.running.add(process);
        known.add(process);
        books.usableChanged(clock.nanos());
    }

    /** Sets how many processes of a service are to run, and starts or stops the difference, the youngest first. */
    void scale(ServiceCounts books, int desired) {
        books.desired = desired;
        startMissing(books, Integer.MAX_VALUE);
        while (books.running.size() > desired) {
            stop(books.running.get(books.running.size() - 1));
        }
        books.usableChanged(clock.nanos());
    }

    List<Listener<Link>> listenersOf(SimulatedProcess process) {
        return promises == null
                ? List.of()
                : promises.watch(process, scenario.coordinator().leaseLimit() > 0);
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

    /** Ends every process in order, and starts no more. */
    void end() {
        ended = true;
        services.forEach(books -> List.copyOf(books.running).forEach(this::stop));
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

    /** Whether nothing more happens at this moment. */
    boolean isSettled() {
        return clock.nextDueNanos() > clock.nanos();
    }

    /** Runs the next event if it is due by then. */
    public boolean step(long untilNanos) {
        return clock.step(untilNanos);
    }

    /** Runs what is due by then, and lets the time stand there. */
    public void moveTo(long nanos) {
        clock.advanceTo(nanos);
    }

    // What is to be told.

    void mark(String kindOfMark, String text) {
        marks.add(new Mark(clock.nanos(), kindOfMark, text));
        calmSinceNanos = clock.nanos();
    }

    public List<Sample> sample() {
        coordinator.countLeases(services);
        List<Sample> samples = new ArrayList<>();
        for (ServiceCounts books : services) {
            samples.add(books.sample(clock.nanos()));
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

    /** Since when every service has had its target, the first time that they kept it for long enough; -1 if never yet. */
    public long convergedAtNanos() {
        return convergence.atNanos(clock.nanos());
    }

    /** The smallest share of its target that a service could use, and which and when; null if no process ever had its target. */
    public @Nullable Smallest smallestShare() {
        if (services.stream().noneMatch(books -> books.everFull)) {
            return null;
        }
        Smallest smallest = new Smallest(1, "", 0);
        for (ServiceCounts books : services) {
            if (books.smallestShare < smallest.share) {
                smallest = new Smallest(books.smallestShare, books.service.name(), books.smallestShareAtNanos);
            }
        }
        return smallest;
    }

    /** The smallest usable share. */
    public record Smallest(double share, String service, long atNanos) {}

    /** How leases and connections go together now. */
    public Match leases() {
        return coordinator.match(known, calmSinceNanos);
    }

    /** Whether leases and connections go together: what is expected, and what was found, in words. */
    public record Match(boolean holds, String expected, String found) {}

    /** What the processes asked of the cluster budget; null if they have none. */
    public Outcome.@Nullable Budget budget() {
        return coordinator.figures();
    }
}
