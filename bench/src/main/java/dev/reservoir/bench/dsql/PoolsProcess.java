package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.Quiet;
import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.time.SystemTime;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Some reservoirs that share one rate limit, in one process. It first connects a few hundred times, so that the classes
 * of a handshake are loaded and compiled. Then it prints a line and waits for a line before it starts the pools. Runs
 * until standard input ends.
 */
final class PoolsProcess {
    private static final int WARM_ROUNDS = 8;
    private static final int WARM_SIZE = 50;

    private PoolsProcess() {}

    /**
     * Takes the port, the certificate, the number of pools, the size of each, and the rate and burst for all of them.
     */
    public static void main(String[] args) throws IOException {
        Quiet.logs();
        Access access = Access.of(List.of(args).subList(0, 2));
        int pools = Integer.parseInt(args[2]);
        int size = Integer.parseInt(args[3]);
        LocalPermits permits =
                new LocalPermits(Double.parseDouble(args[4]), Integer.parseInt(args[5]), new SystemTime("permits"));
        for (int i = 0; i < WARM_ROUNDS; i++) {
            access.builder()
                    .name("warm")
                    .maxOpen(WARM_SIZE)
                    .connectionRateLimit(LoadCase.WARM_RATE)
                    .connectionBurstLimit(WARM_SIZE)
                    .build()
                    .close();
        }
        System.out.println("warm");
        Jvm.awaitLine();
        for (int i = 0; i < pools; i++) {
            access.builder()
                    .name("load-" + i)
                    .maxOpen(size)
                    .permits(permits)
                    // A connection that expires during the fill would be opened twice.
                    .reservoir(reservoir -> reservoir
                            .initialFillTimeout(Duration.ZERO)
                            .baseLifetime(Duration.ofMinutes(50))
                            .opensInFlightMax(size))
                    .build();
        }
        Jvm.awaitEndOfInput();
        System.exit(0);
    }
}
