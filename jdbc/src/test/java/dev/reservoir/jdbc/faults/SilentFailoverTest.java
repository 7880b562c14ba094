package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.testkit.FaultyProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failover without notice: packets of open connections are lost, and new connects work. Uses default settings. */
@Timeout(120)
class SilentFailoverTest {
    private static ReservoirDataSourceBuilder defaults(String name, FaultyProxy proxy) {
        return ReservoirDataSource.builder()
                .name(name)
                .url(proxy.url(TestPostgres.url()))
                .driverProperty("ApplicationName", name);
    }

    @Test
    void oneRequestASecondIsServedAndNoneFails() throws Exception {
        String name = "silent-requests";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = defaults(name, proxy).build()) {
            List<Integer> lost = backends.pids(name);
            // Connections used within the last half second are not validated at checkout.
            TimeUnit.MILLISECONDS.sleep(600);
            proxy.loseOpen();
            for (int i = 0; i < 4; i++) {
                assertThat(lost).doesNotContain(Pools.useSoon(pool));
                TimeUnit.SECONDS.sleep(1);
            }
            checkRecovery(pool, name, proxy, backends, lost);
        }
    }

    @Test
    void theFirstRequestDoesNotWaitForTheTimeoutOfItsValidation() throws Exception {
        String name = "silent-first";
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = defaults(name, proxy).build()) {
            List<Integer> lost = backends.pids(name);
            // Connections used within the last half second are not validated at checkout.
            TimeUnit.MILLISECONDS.sleep(600);
            proxy.loseOpen();
            long begunNanos = System.nanoTime();
            assertThat(lost).doesNotContain(Pools.useOnce(pool));
            // It takes one second and a connect. The validation timeout is 5 s.
            assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isLessThan(Duration.ofSeconds(4));
            checkRecovery(pool, name, proxy, backends, lost);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Validation.class,
            names = {"IDLE", "BACKGROUND"})
    void troubleIsNoticedThoughNobodyAsks(Validation validation) throws Exception {
        String name = "silent-quiet-" + validation;
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool =
                        defaults(name, proxy).validation(validation).build()) {
            List<Integer> lost = backends.pids(name);
            proxy.loseOpen();

            Awaitility.await("none of the lost ones is handed out")
                    .atMost(Pools.NOTICED)
                    .until(() -> pool.stats().ready() == 0 || pool.stats().opened() > lost.size());
            assertThat(lost).doesNotContain(Pools.useSoon(pool));
            checkRecovery(pool, name, proxy, backends, lost);
        }
    }

    private static void checkRecovery(
            ReservoirDataSource pool, String name, FaultyProxy proxy, Backends backends, List<Integer> lost)
            throws Exception {
        Pools.awaitReady(pool, lost.size());
        proxy.findLost();
        backends.awaitCount(name, lost.size());
        assertThat(backends.pids(name)).doesNotContainAnyElementsOf(lost);
        Pools.closeAndCheck(pool, name, backends);
    }
}
