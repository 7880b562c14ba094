package dev.reservoir.dynamodb.processes;

import dev.reservoir.cluster.LeaseMode;
import java.time.Duration;
import java.util.List;

/**
 * What the processes of one fleet are told when they start, beside {@link Rules}.
 *
 * @param leaseMode how open connections are counted
 * @param leaseTime within which a dead process's leases are back
 * @param lifetime how long a connection lives, without its jitter
 */
record FleetRules(LeaseMode leaseMode, Duration leaseTime, Duration lifetime) {
    static final FleetRules USUAL = new FleetRules(LeaseMode.SHARE, Rules.LEASE_TIME, Rules.LIFETIME);

    /** For the command line of a process. */
    List<String> arguments() {
        return List.of(leaseMode.name(), String.valueOf(leaseTime.toMillis()), String.valueOf(lifetime.toMillis()));
    }

    static FleetRules of(List<String> arguments) {
        return new FleetRules(
                LeaseMode.valueOf(arguments.get(0)),
                Duration.ofMillis(Long.parseLong(arguments.get(1))),
                Duration.ofMillis(Long.parseLong(arguments.get(2))));
    }
}
