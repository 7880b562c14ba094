package dev.reservoir.demo.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.dsql.id.NodeIdSource;
import dev.reservoir.dsql.id.SnowflakeIds;
import dev.reservoir.dsql.tx.Retries;
import dev.reservoir.dsql.tx.Transactions;
import dev.reservoir.emulator.DsqlEmulator;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The schema and every statement pass where only what Aurora DSQL takes is taken, and the workload lives with its
 * faults.
 */
class WorkflowsOnEmulatorTest {

    @Test
    void theWorkloadRunsAndOutlivesAMomentOfUnavailability() throws SQLException {
        try (DsqlEmulator dsql = DsqlEmulator.builder().start();
                ReservoirDataSource dataSource = ReservoirDataSource.builder()
                        .url(dsql.jdbcUrl())
                        .username("admin")
                        .password("no token is asked for")
                        .maxOpen(6)
                        .build()) {
            WorkflowStore store =
                    new WorkflowStore(Transactions.on(dataSource), SnowflakeIds.of(NodeIdSource.fixed(1)));
            store.createSchema();
            store.createSchema();
            store.createShards(4);

            WorkflowLoad load = WorkflowLoad.builder(dataSource)
                    .shards(List.of(0, 1, 2, 3))
                    .perSecond(30)
                    .retries(Retries.builder()
                            .retries(50)
                            .base(Duration.ofMillis(20))
                            .cap(Duration.ofMillis(200))
                            .build())
                    .start();
            await().atMost(Duration.ofMinutes(2)).until(() -> load.stats().completed() >= 20);

            long retries = load.metrics().retries();
            dsql.faults().unavailable(true);
            await().atMost(Duration.ofMinutes(2)).until(() -> load.metrics().retries() > retries + 4);
            dsql.faults().clear();
            long completed = load.stats().completed();
            await().atMost(Duration.ofMinutes(2)).until(() -> load.stats().completed() > completed + 20);
            load.close();

            // Only an event whose commit was under way just then may have failed: it is not known whether it was added.
            WorkflowLoad.Stats stats = load.stats();
            assertThat(stats.failures().keySet()).isSubsetOf("connection");
            assertThat(stats.failed()).isLessThanOrEqualTo(4);
            assertThat(stats.completed() + stats.failed()).isEqualTo(stats.started());
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "select count(*), sum(applied_events) from executions where state = 2")) {
                row.next();
                assertThat(row.getLong(1)).isEqualTo(stats.completed());
                assertThat(row.getLong(2)).isEqualTo(stats.events()).isEqualTo(3 * stats.completed());
            }
        }
    }
}
