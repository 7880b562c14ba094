package dev.reservoir.sim.world;

import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.WhenAway;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A model of the coordinator for pools without a cluster budget: one bucket for all processes, and a counter of leases.
 * Nothing corrects the counter after a crash, as in the reservoir for Go. The counts of the services change with each
 * lease.
 */
final class GoCoordinator implements FleetCoordinator {
    /** Timeout of a call that is not answered. */
    private static final long CALL_TIMEOUT_NANOS = 5_000_000_000L;

    /** Message for a throttled call. Every call of a Go process is a write, so throttling hits every call. */
    private static final String THROTTLED = "the coordinator throttles writes";

    private final VirtualTime clock;
    private final Scenario.Limiter limiter;
    private final Scenario.Coordinator settings;
    private final RandomGenerator random;
    private final IntSupplier processes;
    private final Permits shared;

    /** Releases that could not reach the coordinator. They are carried out as soon as it can be reached again. */
    private final List<Runnable> owed = new ArrayList<>();

    private int leasesOut;
    private int outages;
    private boolean away;
    private boolean writesThrottled;

    /**
     * Creates a coordinator that is available.
     *
     * @param processes the number of processes that run
     */
    GoCoordinator(
            VirtualTime clock,
            Scenario.Limiter limiter,
            Scenario.Coordinator settings,
            IntSupplier processes,
            RandomGenerator random) {
        this.clock = clock;
        this.limiter = limiter;
        this.settings = settings;
        this.processes = processes;
        this.random = random;
        this.shared = new LocalPermits(limiter.perSecond(), limiter.burst(), clock);
    }

    @Override
    public void goAway() {
        away = true;
        outages++;
    }

    @Override
    public void comeBack() {
        away = false;
        settle();
    }

    @Override
    public void throttleWrites(boolean throttled) {
        writesThrottled = throttled;
        settle();
    }

    private void settle() {
        if (!away && !writesThrottled) {
            owed.forEach(Runnable::run);
            owed.clear();
        }
    }

    @Override
    public Fleet.Match match(List<SimulatedProcess> everyone, long calmSinceNanos) {
        int open = 0;
        int between = 0;
        for (SimulatedProcess process : everyone) {
            open += process.links.size();
            between += process.state().opening() + process.state().closing();
        }
        boolean holds = open <= leasesOut && leasesOut <= open + between;
        return new Fleet.Match(
                holds,
                "as many leases as connections at the end",
                leasesOut + " leases, " + open + " connections, " + between + " opening or closing");
    }

    /** This coordinator knows no shares, so a process's share is what it holds. */
    @Override
    public int shareOf(SimulatedProcess process) {
        return process.leases.size();
    }

    @Override
    public Part partOf(SimulatedProcess process, RandomGenerator unused) {
        Permits own = FleetCoordinator.ofItsOwn(limiter, process);
        Permits permits = own != null ? own : CountedPermits.asIs(new FleetPermits(process), process);
        Leases leases = settings.leaseLimit() == 0 ? null : new FleetLeases(process);
        // Leases that a process does not release stay counted.
        return new Part(permits, leases, () -> {}, () -> {});
    }

    private long latency() {
        return settings.latency().draw(random);
    }

    /** Runs a task without latency at once, because there are very many such calls. */
    private void after(long latencyNanos, Runnable task) {
        if (latencyNanos == 0) {
            task.run();
        } else {
            clock.start(latencyNanos, task);
        }
    }

    private static void fail(CompletableFuture<?> call, SimulatedProcess process, String why) {
        process.time.deliver(() -> call.completeExceptionally(new IllegalStateException(why)));
    }

    private void failLate(CompletableFuture<?> call, SimulatedProcess process) {
        clock.start(CALL_TIMEOUT_NANOS, () -> fail(call, process, "the coordinator does not answer"));
    }

    /** The access of one process to the fleet's bucket. */
    private final class FleetPermits implements Permits {
        private final SimulatedProcess process;
        private @Nullable Permits localBucket;
        private int localBucketOutage;

        FleetPermits(SimulatedProcess process) {
            this.process = process;
        }

        @Override
        public CompletionStage<Permit> acquire(Urgency urgency) {
            if (away && settings.whenAway() == WhenAway.LOCAL_SHARE) {
                return CountedPermits.ask(localBucket(), urgency, process);
            }
            Asked asked = new Asked();
            after(latency(), () -> {
                if (away) {
                    failLate(asked, process);
                } else if (writesThrottled) {
                    fail(asked, process, THROTTLED);
                } else {
                    asked.arrived(process, CountedPermits.ask(shared, urgency, process));
                }
            });
            return asked;
        }

        /**
         * The local bucket during an outage. Its rate is divided by the number of processes that run when the process
         * first needs it.
         */
        private Permits localBucket() {
            Permits mine = localBucket;
            if (mine == null || localBucketOutage != outages) {
                mine = new LocalPermits(ratePerSecond(), 1, process.time);
                localBucket = mine;
                localBucketOutage = outages;
            }
            return mine;
        }

        /** An equal share of the fleet's rate. */
        @Override
        public double ratePerSecond() {
            return limiter.perSecond() / Math.max(1, processes.getAsInt());
        }

        @Override
        public String describe() {
            return shared.describe();
        }
    }

    /** A request for a permit on its way. The caller may cancel it at any time. */
    private static final class Asked extends CompletableFuture<Permits.Permit> {
        private @Nullable CompletableFuture<Permits.Permit> inner;

        void arrived(SimulatedProcess process, CompletableFuture<Permits.Permit> asked) {
            if (isDone()) {
                asked.cancel(false);
                var unused = asked.thenAccept(Permits.Permit::giveBack);
                return;
            }
            inner = asked;
            var unused = asked.thenAccept(permit -> {
                if (process.isDead()) {
                    // The slot passes unused, because no process is left to give it back.
                    permit.answered();
                } else {
                    process.time.deliver(() -> {
                        if (!complete(permit)) {
                            permit.giveBack();
                        }
                    });
                }
            });
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled && inner != null) {
                inner.cancel(false);
            }
            return cancelled;
        }
    }

    /** The access of one process to the fleet's count of leases. */
    private final class FleetLeases implements Leases {
        private final SimulatedProcess process;
        private long number;

        FleetLeases(SimulatedProcess process) {
            this.process = process;
        }

        @Override
        public CompletionStage<Lease> acquire() {
            CompletableFuture<Lease> answer = new CompletableFuture<>();
            after(latency(), () -> {
                if (isOutOfReach()) {
                    failLate(answer, process);
                } else if (writesThrottled && !away) {
                    fail(answer, process, THROTTLED);
                } else if (isFull()) {
                    fail(answer, process, "no lease left of " + settings.leaseLimit());
                } else if (!process.isDead()) {
                    String id = process.name + "/" + ++number;
                    leasesOut++;
                    process.service.leases++;
                    process.leases.add(id);
                    process.time.deliver(() -> answer.complete(() -> id));
                }
            });
            return answer;
        }

        private boolean isOutOfReach() {
            return away && settings.whenAway() == WhenAway.STOP;
        }

        private boolean isFull() {
            return away
                    ? process.leases.size() >= settings.leaseLimit() / Math.max(1, processes.getAsInt())
                    : leasesOut >= settings.leaseLimit();
        }

        @Override
        public CompletionStage<Void> release(Lease lease) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            after(latency(), () -> {
                if (isOutOfReach()) {
                    owed.add(() -> takeBack(lease));
                    failLate(answer, process);
                } else if (writesThrottled && !away) {
                    owed.add(() -> takeBack(lease));
                    fail(answer, process, THROTTLED);
                } else {
                    takeBack(lease);
                    process.time.deliver(() -> answer.complete(null));
                }
            });
            return answer;
        }

        /** Takes back a lease. A second release of the same lease has no effect. */
        private void takeBack(Lease lease) {
            if (process.leases.remove(lease.id())) {
                leasesOut--;
                process.service.leases--;
            }
        }

        @Override
        public String describe() {
            return leasesOut + " of " + settings.leaseLimit() + " leases out";
        }
    }
}
