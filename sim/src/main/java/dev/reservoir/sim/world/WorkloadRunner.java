package dev.reservoir.sim.world;

import dev.reservoir.core.Settings;
import dev.reservoir.sim.pools.Link;
import dev.reservoir.sim.pools.SimulatedPool;
import dev.reservoir.sim.result.Sample.Event;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.util.ArrayDeque;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Runs the workload of one process: acquires a connection, holds it for a while, and releases it. */
final class WorkloadRunner {
    /** Largest number of repeats of a transaction after conflicts. */
    private static final int CONFLICTS_MAX = 5;

    /** Pause before the first repeat. It doubles with each further conflict. */
    private static final long BACKOFF_NANOS = 100_000_000L;

    /** The engine's window in which a newcomer may overtake the oldest waiter. */
    private static final long OVERTAKING_NANOS = Settings.defaults().overtakingWindowNanos();

    private final SimulatedProcess process;
    private final ServiceCounts counts;
    private final Workload workload;
    private final SimulatedPool pool;
    private final RandomGenerator random;

    /** The checkouts that wait, in the order of their arrival. */
    private final ArrayDeque<Unit> waiting = new ArrayDeque<>();

    private final Arrivals next;
    private final long maxWaitNanos;
    private int inUse;
    private int nextRecorded;
    private long begunNanos;
    private long dueNanos;
    private boolean ended;

    WorkloadRunner(SimulatedProcess process, Workload workload, SimulatedPool pool, RandomGenerator random) {
        this.process = process;
        this.counts = process.service;
        this.workload = workload;
        this.pool = pool;
        this.random = random;
        this.next = new Arrivals(process.time);
        this.maxWaitNanos = workload.maxWait().toNanos();
    }

    void begin() {
        begunNanos = process.time.nanos();
        dueNanos = begunNanos;
        if (workload.arrival() != Arrival.NONE) {
            scheduleNext();
        }
    }

    void end() {
        ended = true;
    }

    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    private void scheduleNext() {
        if (workload.arrival() == Arrival.RECORDED
                && nextRecorded >= workload.recorded().size()) {
            return;
        }
        process.time.start(untilNext(), next);
    }

    private long untilNext() {
        return switch (workload.arrival()) {
            case NONE -> Long.MAX_VALUE;
            case CLOSED -> workload.spawnEvery().toNanos();
            case POISSON -> after((long) (-1e9 / workload.ratePerSecond() * StrictMath.log(1 - random.nextDouble())));
            case EVEN -> after((long) (1e9 / workload.ratePerSecond()));
            case BURSTS -> after(workload.burstEvery().toNanos());
            case RECORDED -> workload.recorded().get(nextRecorded) - (process.time.nanos() - begunNanos);
        };
    }

    /**
     * The delay until a time this long after the last due time, even if the last arrival was late. Callers keep
     * arriving while the process hangs.
     */
    private long after(long nanos) {
        dueNanos += nanos;
        return Math.max(0, dueNanos - process.time.nanos());
    }

    private void arrive() {
        if (ended) {
            return;
        }
        int count = switch (workload.arrival()) {
            case CLOSED -> Math.min(workload.arrivalBurst(), workload.maxInUse() - inUse);
            case BURSTS -> workload.burstSize();
            default -> 1;
        };
        nextRecorded++;
        scheduleNext();
        for (int i = 0; i < count; i++) {
            new Unit().begin();
        }
    }

    /** Starts the checkouts that arrive next. */
    private final class Arrivals extends ProcessTime.Job {
        Arrivals(ProcessTime time) {
            super(time);
        }

        @Override
        void happen() {
            arrive();
        }
    }

    // Promise 6, as far as it is visible here.

    private void checkOvertaking() {
        Unit oldest = process.isChecked() ? waiting.peek() : null;
        if (oldest != null && !process.stoodStill) {
            long waited = process.time.nanos() - oldest.sinceNanos;
            if (waited >= OVERTAKING_NANOS) {
                process.brokePromise(6, "a new checkout overtook a waiter that has waited " + waited + " ns");
            }
        }
    }

    private void checkTurn(Unit unit, boolean served) {
        if (process.stoodStill || ended) {
            return;
        }
        long waited = process.time.nanos() - unit.sinceNanos;
        if (waited > maxWaitNanos) {
            process.brokePromise(6, "a checkout ended after " + waited + " ns, allowed " + maxWaitNanos + " ns");
        }
        if (served && waiting.peek() != unit) {
            process.brokePromise(6, "a checkout was served before one that came earlier");
        }
    }

    /**
     * One transaction. Its job runs when the hold time of its connection is over, or when the transaction is tried
     * again.
     */
    private final class Unit extends ProcessTime.Job {
        private int conflicts;
        private long sinceNanos;
        private @Nullable Link link;

        Unit() {
            super(process.time);
        }

        void begin() {
            inUse++;
            counts.count(Event.WORK_STARTED);
            take();
        }

        private void take() {
            Link ready = pool.tryTake();
            if (ready != null) {
                checkOvertaking();
                counts.handedOutAtOnce();
                hold(ready);
                return;
            }
            sinceNanos = process.time.nanos();
            waiting.add(this);
            pool.take(maxWaitNanos, this::taken);
        }

        private void taken(@Nullable Link got) {
            checkTurn(this, got != null);
            waiting.remove(this);
            if (ended && got == null) {
                // The pool was closed while the checkout waited.
                return;
            }
            counts.waited(process.time.nanos() - sinceNanos, got != null);
            if (got == null) {
                inUse--;
            } else {
                hold(got);
            }
        }

        private void hold(Link got) {
            link = got;
            process.time.start(workload.hold().draw(random), this);
        }

        @Override
        void happen() {
            Link used = link;
            link = null;
            if (used == null) {
                tryAgain();
            } else if (used.broken || used.closeBegun) {
                pool.giveBackBroken(used);
                counts.count(Event.FAILED_WORK);
                inUse--;
            } else {
                pool.giveBack(used);
                done();
            }
        }

        private void tryAgain() {
            if (ended) {
                inUse--;
            } else {
                take();
            }
        }

        private void done() {
            boolean conflict = workload.conflicts() > 0 && random.nextDouble() < workload.conflicts();
            if (conflict && conflicts < CONFLICTS_MAX) {
                counts.count(Event.CONFLICTS);
                process.time.start(BACKOFF_NANOS << conflicts++, this);
                return;
            }
            inUse--;
            if (conflict) {
                counts.count(Event.FAILED_WORK);
            } else {
                counts.count(Event.WORK_COMPLETED);
            }
        }
    }
}
