package dev.reservoir.demo.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.dsql.id.NodeIdSource;
import dev.reservoir.dsql.id.SnowflakeIds;
import dev.reservoir.dsql.tx.Retries;
import dev.reservoir.dsql.tx.Transactions;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.RealPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkflowLoadTest {
    private final UUID namespace = UUID.randomUUID();
    private final ReservoirDataSource dataSource = ReservoirDataSource.builder()
            .dataSource(RealPostgres.repeatableRead())
            .maxOpen(8)
            .build();
    private final WorkflowStore store =
            new WorkflowStore(Transactions.on(dataSource), SnowflakeIds.of(NodeIdSource.fixed(1)));

    @BeforeEach
    void createSchema() throws SQLException {
        store.createSchema();
        store.createShards(4);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    private WorkflowLoadBuilder load() {
        return WorkflowLoad.builder(dataSource)
                .namespace(namespace)
                .retries(Retries.builder().base(Duration.ofMillis(1)).build());
    }

    private long number(String what) {
        return RealPostgres.number("select " + what + " from executions where namespace_id = '" + namespace + "'");
    }

    @Test
    void workflowsArriveAndAreCompletedUntilItIsClosed() throws SQLException {
        WorkflowLoad load =
                load().shards(List.of(0, 1, 2, 3)).perSecond(50).signals(2).start();
        await().atMost(Duration.ofMinutes(2)).until(() -> load.stats().completed() >= 40);
        assertThat(load.shards()).containsExactly(0, 1, 2, 3);
        load.close();

        WorkflowLoad.Stats stats = load.stats();
        assertThat(stats.failures()).isEmpty();
        assertThat(stats.failed()).isZero();
        assertThat(stats.started()).isEqualTo(stats.completed()).isEqualTo(number("count(*)"));
        assertThat(stats.events()).isEqualTo(2 * stats.completed()).isEqualTo(number("sum(applied_events)"));
        assertThat(stats.latencyNanos().getTotalCount()).isEqualTo(stats.completed());
        assertThat(stats.latencyNanos().getValueAtPercentile(50)).isPositive();
        assertThat(load.metrics().stats("workflows.complete").committed()).isEqualTo(stats.completed());
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("workflows-history"));
        assertThat(dataSource.stats().inUse()).isZero();
    }

    @Test
    void aShardThatAnotherServiceTakesIsGivenUp() throws SQLException {
        try (WorkflowLoad first =
                load().service("first").shards(List.of(0, 1)).perSecond(40).start()) {
            await().atMost(Duration.ofMinutes(2)).until(() -> first.stats().completed() > 0);
            try (WorkflowLoad second = load().service("second")
                    .shards(List.of(1))
                    .nodeId(2)
                    .perSecond(20)
                    .start()) {
                await().atMost(Duration.ofMinutes(2))
                        .until(() -> first.stats().shardsLost() == 1
                                && second.stats().completed() > 5);
                assertThat(first.shards()).containsExactly(0);
                assertThat(first.stats().failures().keySet()).containsExactly("condition_failed");
                assertThat(second.stats().failures()).isEmpty();
            }
            first.take(1);
            assertThat(first.shards()).containsExactly(0, 1);
        }
    }

    @Test
    void settingsThatAreNotAllowedAreNamed() {
        assertThatThrownBy(() -> load().perSecond(0).start())
                .hasMessage("perSecond is 0.0; allowed: more than 0, up to 1000000");
        assertThatThrownBy(() -> load().shards(List.of()).start()).hasMessage("shards is []; allowed: at least one");
        assertThatThrownBy(() -> load().workers(0).start()).hasMessage("workers is 0; allowed: 1 to 10000");
        assertThatThrownBy(() -> load().signals(-1).start()).hasMessage("signals is -1; allowed: 0 to 1000");
    }
}
