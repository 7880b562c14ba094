package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import com.scratchbird.jdbc.SBDriver;
import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.SslMode;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The contract of the adapters with a driver that has the name of ScratchBird's and a PostgreSQL behind it. */
class ScratchBirdContractTest extends AdapterContract {
    private LocalPostgres postgres;

    @Override
    ContractServer startServer() throws Exception {
        postgres = LocalPostgres.start();
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE limited LOGIN PASSWORD '" + postgres.password() + "'");
        }
        return PostgresContractTest.onPostgres(postgres, RemoteDatabaseType.SCRATCHBIRD);
    }

    @AfterAll
    void stop() {
        postgres.close();
    }

    @Test
    void theDriverGetsTheModeOfTls() throws Exception {
        adapter.connect(server.definition().sslMode(SslMode.DISABLE).build(), server.admin(), Duration.ofSeconds(20))
                .close();
        assertThat(SBDriver.last).containsEntry("sslmode", "disable").containsEntry("user", LocalPostgres.USER);
    }
}
