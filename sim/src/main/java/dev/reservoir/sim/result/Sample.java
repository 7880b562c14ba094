package dev.reservoir.sim.result;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import java.util.Map;

/**
 * The numbers of one service at one moment, over all its processes. Counts of what has happened are since the beginning and
 * outlive the processes they came from.
 *
 * @param atNanos since the beginning
 * @param service whose
 * @param instances processes that run
 * @param target connections to be ready
 * @param ready connections the pools think ready
 * @param inUse connections on loan
 * @param validating connections being proven
 * @param opening connects under way, those included that wait for a permit
 * @param closing connections that were discarded and are not closed yet
 * @param usable ready or lent, and not dropped by the database
 * @param open connections that the database has open
 * @param waiting checkouts that wait
 * @param leases leases that the processes may use, those of the dead included until they are taken back
 * @param checkouts connections lent
 * @param emptyEvents checkouts that found nothing ready
 * @param timeouts checkouts that ended without a connection
 * @param refills connections opened
 * @param refused connects refused by the database, for their rate or their number
 * @param limiterDenies connects that had to wait for a permit, where the fleet shares them for longer than a tenth of a second
 * @param workStarted units of work begun
 * @param workCompleted units of work done
 * @param conflicts transactions that were done again
 * @param failedWork units of work that met a broken connection
 * @param waitP50Nanos of the checkouts since the last sample, those included that did not wait
 * @param waitP99Nanos likewise
 * @param waitP999Nanos likewise
 * @param waitMaxNanos likewise
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

    /** Connections that left for this reason. */
    public long discards(DiscardReason reason) {
        return discards.getOrDefault(reason, 0L);
    }

    /** Connections that left. */
    public long allDiscards() {
        return discards.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Connects that failed. */
    public long allOpenFailures() {
        return openFailures.values().stream().mapToLong(Long::longValue).sum();
    }
}
