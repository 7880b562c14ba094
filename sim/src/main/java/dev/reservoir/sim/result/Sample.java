package dev.reservoir.sim.result;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.sim.pools.SimulatedPool.State;
import dev.reservoir.sim.result.Outcome.Waits;
import java.util.Map;

/**
 * The numbers of one service at one moment, over all its processes. Counters run from the beginning and include
 * processes that have ended.
 *
 * @param atNanos time since the beginning
 * @param service the name of the service
 * @param instances processes that run
 * @param target connections that should be ready
 * @param usable connections that are ready or in use and that the database has not dropped
 * @param open connections that are open at the database
 * @param leases leases that the processes may use, including those of dead processes until they are taken back
 * @param state connections and checkouts in each state, as the pools see them
 * @param counters what happened since the beginning
 * @param waits the waits of the checkouts since the last sample, including those that did not wait
 * @param discards connections that left a pool, by reason
 * @param openFailures connects that failed, by reason
 */
public record Sample(
        long atNanos,
        String service,
        int instances,
        int target,
        int usable,
        int open,
        int leases,
        State state,
        Counters<Event> counters,
        Waits waits,
        Map<DiscardReason, Long> discards,
        Map<OpenFailureReason, Long> openFailures) {

    /** The events that a simulation counts from its beginning. */
    public enum Event {
        /** Checkouts that got a connection. */
        CHECKOUTS,
        /** Checkouts that found nothing ready. */
        EMPTY_EVENTS,
        /** Checkouts that ended without a connection. */
        TIMEOUTS,
        /** Connections opened. */
        REFILLS,
        /** Connects refused by the database because of its rate or its connection limit. */
        REFUSED,
        /** Connects that had to wait for a permit; where the fleet shares permits, longer than a tenth of a second. */
        LIMITER_DENIES,
        /** Units of work started. */
        WORK_STARTED,
        /** Units of work completed. */
        WORK_COMPLETED,
        /** Transactions that were repeated. */
        CONFLICTS,
        /** Units of work that met a broken connection, or gave up after too many conflicts. */
        FAILED_WORK
    }

    public int ready() {
        return state.ready();
    }

    public int inUse() {
        return state.inUse();
    }

    public int validating() {
        return state.validating();
    }

    public int opening() {
        return state.opening();
    }

    public int closing() {
        return state.closing();
    }

    public int waiting() {
        return state.waiting();
    }

    public long checkouts() {
        return counters.get(Event.CHECKOUTS);
    }

    public long emptyEvents() {
        return counters.get(Event.EMPTY_EVENTS);
    }

    public long timeouts() {
        return counters.get(Event.TIMEOUTS);
    }

    public long refills() {
        return counters.get(Event.REFILLS);
    }

    public long refused() {
        return counters.get(Event.REFUSED);
    }

    public long limiterDenies() {
        return counters.get(Event.LIMITER_DENIES);
    }

    public long workStarted() {
        return counters.get(Event.WORK_STARTED);
    }

    public long workCompleted() {
        return counters.get(Event.WORK_COMPLETED);
    }

    public long conflicts() {
        return counters.get(Event.CONFLICTS);
    }

    public long failedWork() {
        return counters.get(Event.FAILED_WORK);
    }

    /** The number of connections that left for this reason. */
    public long discards(DiscardReason reason) {
        return discards.getOrDefault(reason, 0L);
    }

    /** The number of connections that left, for any reason. */
    public long allDiscards() {
        return discards.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The number of connects that failed, for any reason. */
    public long allOpenFailures() {
        return openFailures.values().stream().mapToLong(Long::longValue).sum();
    }
}
