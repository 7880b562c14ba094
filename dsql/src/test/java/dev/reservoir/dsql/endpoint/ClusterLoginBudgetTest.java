package dev.reservoir.dsql.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.FakeBudgets;
import dev.reservoir.dsql.TestCluster;
import dev.reservoir.testkit.LogLines;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cluster's budget, as the environment asks for it, in both modes. */
class ClusterLoginBudgetTest {

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void everyConnectTakesAPermitOfTheCluster(String reservoir) throws SQLException {
        Map<String, String> variables = new HashMap<>(Map.of(
                "DSQL_RESERVOIR_ENABLED",
                reservoir,
                "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED",
                "true",
                "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE",
                FakeBudgets.TABLE));
        try (TestCluster cluster = TestCluster.stub()) {
            try (DsqlDataSource dataSource =
                    cluster.environment(variables).maxOpen(3).build()) {
                dataSource.getConnection().close();
                // Only a reservoir takes leases, and Go processes count these by the endpoint as it is given.
                String counted = reservoir.equals("true") ? cluster.endpointWithPort() : cluster.endpoint();
                assertThat(FakeBudgets.last.endpoint).isEqualTo(counted);
                assertThat(FakeBudgets.last.permitsGiven).hasValue(3);
                assertThat(FakeBudgets.last.closed).isFalse();
            }
            assertThat(FakeBudgets.last.closed).isTrue();
        }
    }

    @Test
    void standardModeDoesNotCountConnectionsAndSaysSo() {
        Map<String, String> variables = Map.of(
                "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true",
                "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true",
                "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", FakeBudgets.TABLE);
        try (TestCluster cluster = TestCluster.stub();
                LogLines log = new LogLines();
                DsqlDataSource dataSource =
                        cluster.environment(variables).maxOpen(1).build()) {
            assertThat(dataSource.isClosed()).isFalse();
            assertThat(log.startingWith("WARN DSQL standard mode does not count connections over the cluster"))
                    .hasSize(1);
            assertThat(FakeBudgets.last.variables).doesNotContainKey("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED");
        }
    }

    @Test
    void aBudgetIsGivenBackIfTheStartFails() {
        Map<String, String> variables = Map.of(
                "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true",
                "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", FakeBudgets.TABLE,
                "DSQL_STAGGERED_STARTUP_MAX_DELAY", "24h",
                "CLUSTER_ENDPOINT", "abc.dsql.us-east-1.on.aws");
        assertThatThrownBy(() -> DsqlDataSource.fromEnvironment(variables)
                        .credentialsProvider(TestCluster.GOOD)
                        .hikari(config -> config.setMaxLifetime(0))
                        .build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(FakeBudgets.last.closed).isTrue();
    }
}
