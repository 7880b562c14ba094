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
 * Counts permits and leases for the whole fleet, as a service that answers after a while and can be away. Its bucket is the
 * engine's own {@link LocalPermits}, shared by all processes.
 */
final class Coordinator {
    /** After which a process gives up a call that is not answered. */
    private static final long CALL_TIMEOUT_NANOS = 5_000_000_000L;

    private final VirtualTime clock;
    private final Scenario.Limiter limiter;
    private final Scenario.Coordinator settings;
    private final boolean repairsCount;
    private final RandomGenerator random;
    private final IntSupplier processes;
    private final Permits shared;

    /** Leases that are to be given or taken back: done as soon as the coordinator can be reached again. */
    private final List<Runnable> owed = new ArrayList<>();

    private int leasesOut;
    private int outages;
    private boolean away;

    /**
     * A coordinator that is there.
     *
     * @param repairsCount whether leases are taken back of processes that have ended without giving them back
     * @param processes how many run
     */
    Coordinator(
            VirtualTime clock,
            Scenario.Limiter limiter,
            Scenario.Coordinator settings,
            boolean repairsCount,
            IntSupplier processes,
            RandomGenerator random) {
        this.clock = clock;
        this.limiter = limiter;
        this.settings = settings;
        this.repairsCount = repairsCount;
        this.processes = processes;
        this.random = random;
        this.shared = new LocalPermits(limiter.perSecond(), limiter.burst(), clock);
    }

    void goAway() {
        away = true;
        outages++;
    }

    void comeBack() {
        away = false;
        owed.forEach(Runnable::run);
        owed.clear();
    }

    int leasesOut() {
        return leasesOut;
    }

    Permits permitsFor(Instance process) {
        Permits inner = switch (limiter.sharing()) {
            case SHARED -> new FleetPermits(process);
            case LOCAL -> new OwnPermits(new LocalPermits(limiter.perSecond(), limiter.burst(), process.time), process);
            case NONE -> LocalPermits.unlimited();
        };
        return new CountedPermits(inner, process);
    }

    @Nullable
    Leases leasesFor(Instance process) {
        return settings.leaseLimit() == 0 ? null : new FleetLeases(process);
    }

    /** Leases that a process leaves behind when it ends are taken back after the lease time. */
    void ended(Instance process) {
        if (repairsCount) {
            clock.start(settings.leaseTime().toNanos(), () -> {
                if (away) {
                    owed.add(() -> takeBackAll(process));
                } else {
                    takeBackAll(process);
                }
            });
        }
    }

    private void takeBackAll(Instance process) {
        leasesOut -= process.leases.size();
        process.service.leases -= process.leases.size();
        process.leases.clear();
    }

    private long latency() {
        return settings.latency().draw(random);
    }

    /** What takes no time is done at once, for there are many such calls. */
    private void after(long latencyNanos, Runnable task) {
        if (latencyNanos == 0) {
            task.run();
        } else {
            clock.start(latencyNanos, task);
        }
    }

    /** A bucket's answer; whoever is not served at once is told to wait, and that is counted. */
    private static CompletableFuture<Permits.Permit> ask(Permits bucket, Permits.Urgency urgency, Instance process) {
        CompletableFuture<Permits.Permit> asked = bucket.acquire(urgency).toCompletableFuture();
        if (!asked.isDone()) {
            process.service.limiterDenies++;
        }
        return asked;
    }

    /** A bucket that one process has for itself. */
    private static final class OwnPermits implements Permits {
        private final Permits bucket;
        private final Instance process;

        OwnPermits(Permits bucket, Instance process) {
            this.bucket = bucket;
            this.process = process;
        }

        @Override
        public CompletionStage<Permit> acquire(Urgency urgency) {
            return ask(bucket, urgency, process);
        }

        @Override
        public double ratePerSecond() {
            return bucket.ratePerSecond();
        }

        @Override
        public String describe() {
            return bucket.describe();
        }
    }

    /** One process's access to the fleet's bucket. */
    private final class FleetPermits implements Permits {
        private final Instance process;
        private @Nullable Permits alone;
        private int aloneInOutage;

        FleetPermits(Instance process) {
            this.process = process;
        }

        @Override
        public CompletionStage<Permit> acquire(Urgency urgency) {
            if (away && settings.whenAway() == WhenAway.LOCAL_SHARE) {
                return ask(alone(), urgency, process);
            }
            Asked asked = new Asked();
            after(latency(), () -> {
                if (away) {
                    clock.start(
                            CALL_TIMEOUT_NANOS,
                            () -> process.time.deliver(() -> asked.completeExceptionally(
                                    new IllegalStateException("the coordinator does not answer"))));
                } else {
                    asked.arrived(process, ask(shared, urgency, process));
                }
            });
            return asked;
        }

        /** The share of those who run when the coordinator goes away. */
        private Permits alone() {
            Permits mine = alone;
            if (mine == null || aloneInOutage != outages) {
                mine = new LocalPermits(ratePerSecond(), 1, process.time);
                alone = mine;
                aloneInOutage = outages;
            }
            return mine;
        }

        /** A fair share of what the fleet can have. */
        @Override
        public double ratePerSecond() {
            return limiter.perSecond() / Math.max(1, processes.getAsInt());
        }

        @Override
        public String describe() {
            return shared.describe();
        }
    }

    /** A request for a permit on its way, which may be cancelled at any time. */
    private static final class Asked extends CompletableFuture<Permits.Permit> {
        private @Nullable CompletableFuture<Permits.Permit> inner;

        void arrived(Instance process, CompletableFuture<Permits.Permit> asked) {
            if (isDone()) {
                asked.cancel(false);
                var unused = asked.thenAccept(Permits.Permit::giveBack);
                return;
            }
            inner = asked;
            var unused = asked.thenAccept(permit -> {
                if (process.isDead()) {
                    // Its turn passes unused: nobody is left to say that it is not needed.
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

    /** One process's access to the fleet's count of connections. */
    private final class FleetLeases implements Leases {
        private final Instance process;
        private long number;

        FleetLeases(Instance process) {
            this.process = process;
        }

        @Override
        public CompletionStage<Lease> acquire() {
            CompletableFuture<Lease> answer = new CompletableFuture<>();
            after(latency(), () -> {
                if (isOutOfReach()) {
                    clock.start(CALL_TIMEOUT_NANOS, () -> fail(answer, "the coordinator does not answer"));
                } else if (isFull()) {
                    fail(answer, "no lease left of " + settings.leaseLimit());
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

        private void fail(CompletableFuture<?> answer, String why) {
            process.time.deliver(() -> answer.completeExceptionally(new IllegalStateException(why)));
        }

        @Override
        public CompletionStage<Void> release(Lease lease) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            after(latency(), () -> {
                if (isOutOfReach()) {
                    owed.add(() -> takeBack(lease));
                    clock.start(CALL_TIMEOUT_NANOS, () -> fail(answer, "the coordinator does not answer"));
                } else {
                    takeBack(lease);
                    process.time.deliver(() -> answer.complete(null));
                }
            });
            return answer;
        }

        /** Given back twice counts once. */
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
