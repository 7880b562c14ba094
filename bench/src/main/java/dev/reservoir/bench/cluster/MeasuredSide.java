package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The implementations that the cluster benchmarks compare. */
enum MeasuredSide {
    RESERVOIR("reservoir", "Reservoir", PermitMode.RESERVATION, LeaseMode.SHARE),
    COMPATIBLE("compatible", "Reservoir, Go's items", PermitMode.WINDOW, LeaseMode.COUNTER),
    GO("go", "Go, modelled", null, null);

    /** The name on the command line. */
    final String id;

    /** The name in result files and tables. */
    final String title;

    /** How it counts permits and leases, or null for Go. */
    final @Nullable PermitMode permits;

    final @Nullable LeaseMode leases;

    MeasuredSide(String id, String title, @Nullable PermitMode permits, @Nullable LeaseMode leases) {
        this.id = id;
        this.title = title;
        this.permits = permits;
        this.leases = leases;
    }

    static MeasuredSide byId(String id) {
        return Arrays.stream(values())
                .filter(side -> side.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("side = " + id + ", allowed: "
                        + Arrays.stream(values()).map(side -> side.id).collect(Collectors.joining(", "))));
    }
}
