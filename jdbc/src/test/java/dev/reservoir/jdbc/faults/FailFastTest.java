package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.testkit.FaultyProxy;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The start and the first checkout report wrong settings after one connect. They wait for a server that is only
 * unavailable.
 */
@Timeout(120)
class FailFastTest {
    private static final String NAME = "fail-fast";

    /**
     * The time that the start and a checkout may wait. It is longer than the limit of these tests, so a wait fails
     * them.
     */
    private static final Duration LONG = Duration.ofMinutes(10);

    private static LocalPostgres server;

    @BeforeAll
    static void startServer() throws IOException, SQLException {
        server = LocalPostgres.start();
        try (Backends backends = Backends.of(server.url())) {
            backends.execute("create role guarded login password 'right'");
        }
    }

    @AfterAll
    static void stopServer() throws IOException {
        server.close();
    }

    private static ReservoirDataSourceBuilder wrong(String what, FaultyProxy proxy) {
        String url = proxy.url(server.urlWithoutUser()) + "?sslmode=disable&gssEncMode=disable";
        ReservoirDataSourceBuilder builder = ReservoirDataSource.builder()
                .name(NAME)
                .url(url)
                .username("guarded")
                .password("right")
                .acquireTimeout(LONG)
                .initialFillTimeout(LONG);
        return switch (what) {
            case "password" -> builder.password("wrong");
            case "database" -> builder.url(url.replace("/postgres?", "/nowhere?"));
            default -> builder.url("jdbc:postgresql://no-such-host.invalid/postgres");
        };
    }

    @ParameterizedTest
    @CsvSource({"password, 28P01, 1", "database, 3D000, 1", "host, 08001, 0"})
    void theStartThrowsAfterOneConnect(String what, String state, int connects) throws Exception {
        try (FaultyProxy proxy = FaultyProxy.to(server.port())) {
            IllegalStateException error = catchThrowableOfType(
                    IllegalStateException.class, () -> wrong(what, proxy).build());
            assertThat(error).isNotNull().hasCauseInstanceOf(SQLException.class);
            assertThat(((SQLException) error.getCause()).getSQLState()).isEqualTo(state);
            assertThat(error.getMessage()).startsWith(NAME + ": ").contains(state);
            Pools.assertNoThreads(NAME);
            assertThat(proxy.acceptedNanos()).as("logins").hasSize(connects);

            try (ReservoirDataSource next = wrong("nothing", proxy)
                    .url(proxy.url(server.urlWithoutUser()))
                    .maxOpen(1)
                    .build()) {
                assertThat(next.getName()).as("the name is free").isEqualTo(NAME);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"password, 28P01", "database, 3D000", "host, 08001"})
    void theFirstCheckoutOfABeanThrowsAtOnce(String what, String state) throws Exception {
        try (FaultyProxy proxy = FaultyProxy.to(server.port());
                ReservoirDataSource bean = new ReservoirDataSource()) {
            bean.setName(NAME);
            String url = proxy.url(server.urlWithoutUser());
            bean.setUrl(
                    switch (what) {
                        case "database" -> url.replace("/postgres", "/nowhere");
                        case "host" -> "jdbc:postgresql://no-such-host.invalid/postgres";
                        default -> url;
                    });
            bean.setUsername("guarded");
            bean.setPassword(what.equals("password") ? "wrong" : "right");
            bean.setAcquireTimeout("10m");
            bean.setInitialFillTimeout("10m");

            SQLException error = catchThrowableOfType(SQLException.class, bean::getConnection);
            assertThat((Throwable) error).isNotNull().hasMessageContaining(state);
            assertThat(error.getSQLState()).isEqualTo(state);
        }
        Pools.assertNoThreads(NAME);
    }

    @Test
    void withoutFailFastTheStartAndACheckoutWait() throws Exception {
        try (FaultyProxy proxy = FaultyProxy.to(server.port());
                ReservoirDataSource pool = wrong("password", proxy)
                        .failFast(false)
                        .initialFillTimeout(Duration.ofMillis(200))
                        .acquireTimeout(Duration.ofMillis(500))
                        .drainTimeout(Duration.ZERO)
                        .build()) {
            assertThat(pool.isRunning()).isTrue();
            assertThatThrownBy(pool::getConnection)
                    .isInstanceOf(SQLException.class)
                    .hasMessageStartingWith(NAME + ": no connection within ");
        }
    }

    @Test
    void aServerThatIsAwayIsWaitedFor() throws Exception {
        try (FaultyProxy proxy = FaultyProxy.to(server.port())) {
            proxy.all(FaultyProxy.Mode.REFUSE);
            Future<ReservoirDataSource> started = BusyBlackHoleTest.start(() -> wrong("nothing", proxy)
                    .url(proxy.url(server.urlWithoutUser()))
                    .build());
            Awaitility.await("several connects")
                    .atMost(Pools.PATIENCE)
                    .until(() -> proxy.acceptedNanos().size() >= 3);
            assertThat(started.isDone()).isFalse();
            proxy.all(FaultyProxy.Mode.PASS);
            try (ReservoirDataSource pool = started.get(60, TimeUnit.SECONDS)) {
                assertThat(Pools.useOnce(pool)).isPositive();
            }
        }
    }
}
