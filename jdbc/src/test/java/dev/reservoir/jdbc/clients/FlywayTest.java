package dev.reservoir.jdbc.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Migrations of Flyway, which need more than one connection at a time. */
class FlywayTest {

    @Test
    void migrationsRunOnceAndLeaveConnectionsAsTheyWere(@TempDir Path folder) throws IOException, SQLException {
        Files.writeString(folder.resolve("V1__orders.sql"), "create table orders (id int primary key, what text);");
        Files.writeString(folder.resolve("V2__tea.sql"), "insert into orders values (1, 'tea');");
        try (ReservoirDataSource dataSource =
                ReservoirDataSource.builder().url(TestPostgres.url()).maxOpen(3).build()) {
            Flyway flyway = Flyway.configure()
                    .dataSource(dataSource)
                    .locations("filesystem:" + folder)
                    .schemas("flyway_test")
                    .defaultSchema("flyway_test")
                    .cleanDisabled(false)
                    .load();

            assertThat(flyway.migrate().migrationsExecuted).isEqualTo(2);
            assertThat(flyway.migrate().migrationsExecuted).isZero();

            assertThat(dataSource.stats().inUse()).isZero();
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThat(connection.getSchema())
                        .as("the schema that Flyway had set")
                        .isNotEqualTo("flyway_test");
                try (ResultSet rows = statement.executeQuery("select what from flyway_test.orders")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1)).isEqualTo("tea");
                }
            }
            flyway.clean();
        }
    }
}
