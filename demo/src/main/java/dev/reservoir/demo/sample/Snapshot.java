package dev.reservoir.demo.sample;

import dev.reservoir.demo.fleet.EmulatedDatabase.Refused;
import dev.reservoir.demo.fleet.Service.State;
import dev.reservoir.demo.trouble.Troubles;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is shown, at one moment.
 *
 * @param seconds since the services began
 * @param ratePerSecond new connections a second that each database gives now
 * @param sides Reservoir, then HikariCP
 * @param cluster the cluster's count, as the reservoirs know it; null if none of them runs
 * @param troubles how each kind of trouble stands
 * @param events all that happened, oldest first
 */
public record Snapshot(
        double seconds,
        double ratePerSecond,
        List<OfSide> sides,
        @Nullable OfCluster cluster,
        List<Troubles.Status> troubles,
        List<Troubles.Event> events) {

    /**
     * One side. Latency and workflows a second are of the last seconds.
     *
     * @param open connections that the database sees
     * @param connects let in within the last second
     * @param refusals refused within the last second
     * @param refused refused since the beginning
     * @param accepted let in since the beginning
     * @param p50Millis of workflows; -1 if none was completed within the last seconds, as with the two that follow
     * @param p99Millis of workflows
     * @param longestMillis of workflows
     */
    public record OfSide(
            String name,
            List<OfService> services,
            int open,
            long connects,
            long refusals,
            Refused refused,
            long accepted,
            double workflowsPerSecond,
            long completed,
            long failed,
            double p50Millis,
            double p99Millis,
            double longestMillis) {}

    /**
     * One service.
     *
     * @param retiring connections that were closed within the last second
     * @param share leases it holds; -1 if it has no part in a budget
     */
    public record OfService(
            String name, State state, int opening, int ready, int inUse, int retiring, int waiting, int share) {}

    /**
     * The cluster's count.
     *
     * @param leases that the services may hold together
     * @param limit how many there are
     * @param members services that take part, a dead one among them until its leases are taken back
     * @param away whether DynamoDB does not answer
     * @param takenBack leases of dead services that were taken back
     */
    public record OfCluster(long leases, long limit, int members, boolean away, long takenBack) {}
}
