package dev.reservoir.remote.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.time.SystemTime;
import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.adapter.Adapters;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What becomes of a connection whose pool was replaced and whose user does not release it. With a real PostgreSQL. */
class ReplacedPoolTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration DRAIN_MAX = Duration.ofMillis(300);

    @Test
    void aConnectionThatIsNotReleasedInTimeClosesUnderItsUserAndItsPlaceIsFree() throws Exception {
        try (LocalPostgres postgres = LocalPostgres.start();
                SystemTime time = new SystemTime("replaced-pool-test")) {
            ServerDefinition server = ServerDefinition.builder("pg", RemoteDatabaseType.POSTGRESQL)
                    .host("127.0.0.1")
                    .port(postgres.port())
                    .database(LocalPostgres.DATABASE)
                    .build();
            ServerPool pool = new ServerPool(
                    server,
                    Adapters.installed().find(server),
                    time,
                    (name, healthy, why, at) -> {},
                    DRAIN_MAX,
                    UserPoolFactory.ON_THREADS);
            pool.setMapping(mapping(postgres, "first"));
            Connection forgotten = pool.acquire("ann", LONG).connection();
            forgotten.createStatement().execute("SELECT 1");
            long replaced = System.nanoTime();

            pool.setMapping(mapping(postgres, "second"));

            Awaitility.await().atMost(LONG).until(() -> pool.held() == 0);
            assertThat(Duration.ofNanos(System.nanoTime() - replaced))
                    .as("the user had this time to release it")
                    .isGreaterThanOrEqualTo(DRAIN_MAX);
            assertThatThrownBy(() -> forgotten.createStatement().execute("SELECT 1"))
                    .isInstanceOf(SQLException.class);
            forgotten.close();
            assertThat(pool.held()).as("a late release changes nothing").isZero();
            assertThat(pool.stats().drainingConnections()).isZero();
            pool.acquire("ann", LONG).connection().close();
            pool.close(Duration.ofSeconds(1)).toCompletableFuture().join();
        }
    }

    private static UserMapping mapping(LocalPostgres postgres, String applicationName) throws RemoteException {
        return UserMapping.builder("pg", "ann")
                .remoteUser(LocalPostgres.USER)
                .remotePassword(Secret.literal(postgres.password()))
                .driverOption("ApplicationName", applicationName)
                .build();
    }
}
