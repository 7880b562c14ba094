package dev.reservoir.sim.result;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import java.util.Map;

/**
 * The numbers of one service at one moment, over all its processes. Counters run from the beginning and include
 * processes that have ended.
 *
 * @param atNanos time since the beginning
 * @param service the name of the service
 * @param instances processes that run
 * @param target connections that should be ready
 * @param ready connections that the pools consider ready
 * @param inUse connections in use
 * @param validating connections that are being validated
 * @param opening connects in progress, including those that wait for a permit
 * @param closing connections that were discarded and are not closed yet
 * @param usable connections that are ready or in use and that the database has not dropped
 * @param open connections that are open at the database
 * @param waiting checkouts in the wait queue
 * @param leases leases that the processes may use, including those of dead processes until they are taken back
 * @param checkouts checkouts that got a connection
 * @param emptyEvents checkouts that found nothing ready
 * @param timeouts checkouts that ended without a connection
 * @param refills connections opened
 * @param refused connects refused by the database because of its rate or its connection limit
 * @param limiterDenies connects that had to wait for a permit; where the fleet shares permits, longer than a tenth of a
 *     second
 * @param workStarted units of work started
 * @param workCompleted units of work completed
 * @param conflicts transactions that were repeated
 * @param failedWork units of work that met a broken connection, or gave up after too many conflicts
 * @param waitP50Nanos median wait of the checkouts since the last sample, including those that did not wait
 * @param waitP99Nanos 99th percentile of the same waits
 * @param waitP999Nanos 99.9th percentile of the same waits
 * @param waitMaxNanos longest of the same waits
 * @param discards connections that left a pool, by reason
 * @param openFailures connects that failed, by reason
 */
public record Sample(
        long atNanos,
        String service,
        int instances,
        int target,
        int ready,
        int inUse,
        int validating,
        int opening,
        int closing,
        int usable,
        int open,
        int waiting,
        int leases,
        long checkouts,
        long emptyEvents,
        long timeouts,
        long refills,
        long refused,
        long limiterDenies,
        long workStarted,
        long workCompleted,
        long conflicts,
        long failedWork,
        long waitP50Nanos,
        long waitP99Nanos,
        long waitP999Nanos,
        long waitMaxNanos,
        Map<DiscardReason, Long> discards,
        Map<OpenFailureReason, Long> openFailures) {

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
