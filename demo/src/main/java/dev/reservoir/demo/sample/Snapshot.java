package dev.reservoir.demo.sample;

import dev.reservoir.demo.fault.FaultInjector;
import dev.reservoir.demo.fleet.EmulatedDatabase.Refused;
import dev.reservoir.demo.fleet.Latency;
import dev.reservoir.demo.fleet.Service.State;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is shown, at one moment.
 *
 * @param seconds time since the services began
 * @param ratePerSecond new connections per second that each database accepts now
 * @param sides Reservoir, then HikariCP
 * @param cluster the lease counts of the cluster, as the reservoirs know them; null if none of them is running
 * @param faults the status of each kind of fault
 * @param events all events, oldest first
 */
public record Snapshot(
        double seconds,
        double ratePerSecond,
        List<SideSnapshot> sides,
        @Nullable ClusterSnapshot cluster,
        List<FaultInjector.Status> faults,
        List<FaultInjector.Event> events) {

    /**
     * One side. Latency and workflows per second cover the last few seconds.
     *
     * @param open connections that are open on the server
     * @param connects connects accepted within the last second
     * @param refusals connects refused within the last second
     * @param refused connects refused since the start
     */
    public record SideSnapshot(
            String name,
            List<ServiceSnapshot> services,
            int open,
            long connects,
            long refusals,
            Refused refused,
            double workflowsPerSecond,
            long completed,
            long failed,
            Latency latency) {}

    /**
     * One service.
     *
     * @param retiring connections that were closed within the last second
     * @param share leases that the service holds; -1 if it has no part of a budget
     */
    public record ServiceSnapshot(
            String name, State state, int opening, int ready, int inUse, int retiring, int waiting, int share) {}

    /**
     * The lease counts of the cluster.
     *
     * @param leases leases that the services may hold together
     * @param limit the total number of leases
     * @param members services in the fleet; a dead one counts until its leases are reclaimed
     * @param away whether DynamoDB does not answer
     * @param takenBack leases of dead services that were reclaimed
     */
    public record ClusterSnapshot(long leases, long limit, int members, boolean away, long takenBack) {}
}
