package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.sql.CatalogListener;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes of one server at the same time, by SQL and by methods of the registry. With a real PostgreSQL. */
class ConcurrentChangesTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    /** A statement that makes {@link HeldChange} stop, so that the changes after it wait. */
    private static final String PAUSE =
            "CREATE SERVER pause FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host '127.0.0.1', dbname 'none');";

    private final LocalPostgres postgres = PostgresServer.shared();
    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();
    private final String role = PostgresServer.role(postgres, "secret");
    private final HeldChange held = new HeldChange();

    @BeforeEach
    void register() throws RemoteException {
        registry.registerServer(PostgresServer.definition("pg", postgres.port())
                .pool(PostgresServer.pool(0, 5).build())
                .build());
        registry.addMapping(PostgresServer.mapping("pg", "ann", role, "secret"));
        registry.catalog().addListener(held);
    }

    @AfterEach
    void close() {
        held.goOn.countDown();
        registry.close(Duration.ZERO);
    }

    @Test
    void aDropThatComesBeforeAnUnregisterLeavesNoPool() throws Exception {
        registry.acquire("pg", "ann", LONG).release();
        assertThat(PostgresServer.sessions(postgres, role)).isEqualTo(1);

        Running drop = start(() -> execute(PAUSE + "DROP SERVER pg CASCADE"));
        held.awaitBegin();
        Running unregister = start(() -> {
            registry.unregisterServer("pg", Duration.ZERO);
            return null;
        });
        unregister.awaitLock();
        held.goOn.countDown();

        drop.end();
        assertThatThrownBy(unregister::end).hasRootCauseInstanceOf(RemoteException.class);
        Awaitility.await().atMost(LONG).until(() -> PostgresServer.sessions(postgres, role) == 0);
    }

    @Test
    void twoChangesOfDifferentSettingsBothTakeEffect() throws Exception {
        Running pause = start(() -> execute(PAUSE));
        held.awaitBegin();
        Running min = start(() -> {
            registry.setMinConnections("pg", 2);
            return null;
        });
        Running max = start(() -> {
            registry.setMaxConnections("pg", 9);
            return null;
        });
        Running sql = start(() -> execute("ALTER SERVER pg OPTIONS (fetch_size '77')"));
        min.awaitLock();
        max.awaitLock();
        sql.awaitLock();
        held.goOn.countDown();

        pause.end();
        min.end();
        max.end();
        sql.end();
        PoolConfiguration pool = registry.serverDefinition("pg").pool();
        assertThat(pool.minConnections()).isEqualTo(2);
        assertThat(pool.maxConnections()).isEqualTo(9);
        assertThat(pool.fetchSize()).isEqualTo(77);
    }

    private Object execute(String text) throws SQLException {
        try (Connection sql = DriverManager.getConnection("jdbc:reservoir:sys:" + registry.name(), "ann", "");
                Statement statement = sql.createStatement()) {
            return statement.execute(text);
        }
    }

    private static Running start(Callable<Object> task) {
        return new Running(new FutureTask<>(task));
    }

    /** A change that a thread makes. */
    private record Running(FutureTask<Object> task, Thread thread) {
        Running(FutureTask<Object> task) {
            this(task, new Thread(task, "change"));
            thread.setDaemon(true);
            thread.start();
        }

        /** Waits until the change waits for the one before it. */
        void awaitLock() {
            Awaitility.await().atMost(LONG).until(() -> thread.getState() == Thread.State.WAITING);
        }

        void end() throws Exception {
            task.get(LONG.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Holds the catalog's lock while the server {@code pause} is created. */
    private static final class HeldChange implements CatalogListener {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);

        void awaitBegin() throws InterruptedException {
            assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public void serverCreated(ServerDefinition server) {
            if (server.name().equals("pause")) {
                begun.countDown();
                try {
                    assertThat(goOn.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
