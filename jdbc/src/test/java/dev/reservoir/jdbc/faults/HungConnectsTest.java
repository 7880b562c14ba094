package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.testkit.FaultyProxy;
import dev.reservoir.testkit.FaultyProxy.Mode;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connects that get no answer end by themselves. They neither use up the threads of a reservoir nor outlive it. */
class HungConnectsTest {
    private static final int IN_FLIGHT_MAX = 1;
    private static final int THREADS_MAX = 2 * IN_FLIGHT_MAX;

    @ParameterizedTest
    @EnumSource(names = {"SWALLOW", "FALL_SILENT"})
    void moreOfThemThanThereAreThreadsDoNotStopTheReservoir(Mode silence) throws Exception {
        String name = "hung-" + silence;
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url())) {
            proxy.all(silence);
            try (ReservoirDataSource pool = Pools.named(name, proxy.url(TestPostgres.url()))
                    .maxOpen(3)
                    .opensInFlightMax(IN_FLIGHT_MAX)
                    .connectTimeout(Duration.ofSeconds(1))
                    .initialFillTimeout(Duration.ZERO)
                    .build()) {
                awaitTimeOuts(pool, THREADS_MAX + 1);

                pool.pause();
                Awaitility.await("end of the connects that hang")
                        .atMost(Pools.PATIENCE)
                        .untilAsserted(() -> assertThat(Pools.threadsOf(name))
                                .noneMatch(thread -> thread.startsWith("reservoir-" + name + "-connect-")));
                pool.resume();

                proxy.all(Mode.PASS);
                Pools.awaitReady(pool, 3);
                backends.awaitCount(name, 3);

                proxy.comers(silence);
                long before = timeOuts(pool);
                pool.flush();
                awaitTimeOuts(pool, before + 1);
                Pools.closeAndCheck(pool, name, backends);
            }
        }
    }

    private static void awaitTimeOuts(ReservoirDataSource pool, long count) {
        Awaitility.await(count + " connects given up").atMost(Pools.PATIENCE).until(() -> timeOuts(pool) >= count);
    }

    private static long timeOuts(ReservoirDataSource pool) {
        return pool.stats().openFailures().getOrDefault(OpenFailureReason.CONNECT_TIMEOUT, 0L);
    }
}
