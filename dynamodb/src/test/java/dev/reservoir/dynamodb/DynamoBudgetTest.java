package dev.reservoir.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoStore;
import dev.reservoir.dynamodb.store.Local;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Budgets as users make them, on DynamoDB Local. */
class DynamoBudgetTest {
    private static final AtomicInteger CLUSTERS = new AtomicInteger();
    private static final MBeanServer JMX = ManagementFactory.getPlatformMBeanServer();

    private final String cluster = "cluster-" + CLUSTERS.incrementAndGet() + ".example.com";
    private final String table = Local.table();

    @ParameterizedTest
    @CsvSource({"RESERVATION, SHARE", "WINDOW, COUNTER", "RESERVATION, COUNTER", "WINDOW, SHARE"})
    void permitsAndLeasesAreHadAndGivenBack(PermitMode permitMode, LeaseMode leaseMode) {
        try (DynamoBudget budget =
                builder().permitMode(permitMode).leaseMode(leaseMode).start()) {
            Permits.Permit permit = Local.wait(budget.permits().acquire(Permits.Urgency.NORMAL));
            Leases.Lease lease = lease(budget);

            assertThat(permit).isNotNull();
            assertThat(lease.id()).isNotEmpty();
            assertThat(budget.stats().permits().granted()).isEqualTo(1);
            assertThat(budget.stats().leases().used()).isEqualTo(1);
            assertThat(budget.stats().leases().active()).isPositive();
            assertThat(budget.stats().calls().writeUnits()).isPositive();
            assertThat(budget.stats().away()).isFalse();

            Local.wait(budget.leases().release(lease));
        }
        try (DynamoClient client = Local.client()) {
            DynamoStore store = new DynamoStore(client, table, Runnable::run);
            assertThat(Local.wait(store.list("reservoir_member#", null)).items())
                    .isEmpty();
            assertThat(Local.wait(store.list("reservoir_count#", null)).items())
                    .allMatch(found -> found.item().number("total", -1) == 0);
            assertThat(Local.wait(store.list("dsqllease_counter#", null)).items())
                    .allMatch(found -> found.item().number("active", -1) == 0);
        }
    }

    @Test
    void withoutATableForThemPermitsOrLeasesAreNotRationed() {
        try (DynamoBudget budget = DynamoBudget.builder(cluster)
                .endpointOverride(Local.endpoint())
                .permitTable(table)
                .start()) {
            assertThat(budget.permits()).isNotNull();
            assertThat(budget.leases()).isNull();
        }
        try (DynamoBudget budget = DynamoBudget.builder(cluster)
                .endpointOverride(Local.endpoint())
                .leaseTable(table)
                .start()) {
            assertThat(budget.permits()).isNull();
            assertThat(budget.leases()).isNotNull();
        }
    }

    @Test
    void withoutAnyTableThereIsNoBudget() {
        assertThatThrownBy(() -> DynamoBudget.builder(cluster).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("permitTable and leaseTable are missing");
    }

    @Test
    void nodeIdsAreGivenOutAndGivenBack() throws InterruptedException {
        int nodeId;
        try (DynamoBudget budget = builder().start()) {
            nodeId = budget.nodeIds().awaitNodeId(Duration.ofSeconds(60));
            assertThat(budget.nodeIds().nodeId()).isEqualTo(nodeId).isBetween(0, 1_023);
        }
        try (DynamoClient client = Local.client()) {
            DynamoStore store = new DynamoStore(client, table, Runnable::run);
            assertThat(Local.wait(store.list("reservoir_node#", null)).items())
                    .singleElement()
                    .satisfies(found -> {
                        assertThat(found.key()).isEqualTo("reservoir_node#" + cluster + "#" + nodeId);
                        long free = found.item().number("free_from_ms", 0) - System.currentTimeMillis();
                        assertThat(free)
                                .as("one lease time after it was given back")
                                .isBetween(0L, 65_000L);
                    });
        }
    }

    @Test
    void withoutMembersThereAreNoNodeIds() {
        try (DynamoBudget budget = DynamoBudget.builder(cluster)
                .endpointOverride(Local.endpoint())
                .permitTable(table)
                .permitMode(PermitMode.WINDOW)
                .start()) {
            assertThatThrownBy(budget::nodeIds)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("gives out no node ids");
        }
    }

    @Test
    void budgetsOfOneClusterInAProcessAreOne() {
        DynamoBudget one = builder().start();
        try (DynamoBudget other = DynamoBudget.builder(" " + cluster.toUpperCase(Locale.ROOT) + ":5432")
                .endpointOverride(Local.endpoint())
                .permitTable(table)
                .leaseTable(table)
                .serviceName("tests")
                .start()) {
            lease(one);

            assertThat(other.permits()).isSameAs(one.permits());
            assertThat(other.stats().leases().used()).isEqualTo(1);
            one.close();
            one.close();
            assertThat(lease(other)).isNotNull();
            assertThat(other.stats().leases().used()).isEqualTo(2);
        }
    }

    private DynamoBudget.Builder onDsql(String service) {
        return DynamoBudget.builder(cluster.replace('.', '-') + "." + service + ".eu-west-1.on.aws")
                .endpointOverride(Local.endpoint())
                .permitTable(table)
                .leaseTable(table)
                .serviceName("tests");
    }

    @Test
    void thePublicAndThePrivateLinkNameOfAClusterAreOneBudget() {
        try (DynamoBudget one = onDsql("dsql").start();
                DynamoBudget other = onDsql("dsql-fnh4").start()) {
            lease(one);

            assertThat(other.leases()).isSameAs(one.leases());
            assertThat(other.stats().leases().used()).isEqualTo(1);
            assertThat(other.stats().endpoint()).endsWith(".dsql.eu-west-1.on.aws");
        }
    }

    @Test
    void inTheModesOfGoEachNameIsABudgetOfItsOwnAsItIsThere() {
        try (DynamoBudget one = onDsql("dsql").leaseMode(LeaseMode.COUNTER).start();
                DynamoBudget other =
                        onDsql("dsql-fnh4").leaseMode(LeaseMode.COUNTER).start();
                DynamoClient client = Local.client()) {
            lease(one);
            lease(other);

            DynamoStore store = new DynamoStore(client, table, Runnable::run);
            assertThat(Local.wait(store.list("dsqllease_counter#", null)).items())
                    .filteredOn(found -> found.key().endsWith(".eu-west-1.on.aws"))
                    .hasSize(2)
                    .allMatch(found -> found.item().number("active", -1) == 1);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> one.stats().members() == 2 && other.stats().members() == 2);
        }
    }

    @Test
    void budgetsOfOneClusterWithOtherSettingsAreRefused() {
        try (DynamoBudget one = builder().start()) {
            assertThatThrownBy(() -> builder().limit(7).ratePerSecond(50).start())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(cluster)
                    .hasMessageContaining("ratePerSecond 100.0 and now 50.0, limit 10000 and now 7");
            assertThatThrownBy(() -> builder().leaseTable("another-table").start())
                    .hasMessageContaining("leaseTable " + table + " and now another-table");
            assertThat(one.stats().leases().limit()).isEqualTo(10_000);
        }
    }

    @Test
    void clustersInOneProcessAreCountedApart() {
        try (DynamoBudget one = builder().start();
                DynamoBudget other = DynamoBudget.builder("other." + cluster)
                        .endpointOverride(Local.endpoint())
                        .leaseTable(table)
                        .start()) {
            lease(one);

            assertThat(other.stats().leases().used()).isZero();
        }
    }

    @Test
    void theEnvironmentStartsABudgetThroughItsService() {
        Map<String, String> variables = new HashMap<>();
        variables.put(BudgetEnvironment.LEASES, "true");
        variables.put(BudgetEnvironment.LEASE_TABLE, table);
        variables.put(BudgetEnvironment.LIMIT, "50");
        variables.put(BudgetEnvironment.ENDPOINT_URL, Local.endpoint().toString());
        List<BudgetProvider> makers = StreamSupport.stream(
                        ServiceLoader.load(BudgetProvider.class).spliterator(), false)
                .toList();

        assertThat(makers).singleElement().isInstanceOf(DynamoBudgetProvider.class);
        try (Budget budget = makers.get(0).fromEnvironment(variables, cluster)) {
            assertThat(budget.permits()).isNull();
            assertThat(Local.wait(budget.leases().acquire())).isNotNull();
        }
    }

    @Test
    void jmxShowsTheBudgetWhileItRuns() throws Exception {
        ObjectName name = new ObjectName("dev.reservoir:type=ClusterBudget,endpoint=" + cluster);
        try (DynamoBudget budget = builder().start()) {
            lease(budget);
            await().atMost(Duration.ofSeconds(30)).until(() -> (Integer) JMX.getAttribute(name, "Members") == 1);

            assertThat(JMX.getAttribute(name, "Endpoint")).isEqualTo(cluster);
            assertThat((String) JMX.getAttribute(name, "Member")).isNotEmpty();
            assertThat(JMX.getAttribute(name, "Away")).isEqualTo(false);
            assertThat(JMX.getAttribute(name, "ClockOffMillis")).isInstanceOf(Long.class);
            TabularData metrics = (TabularData) JMX.getAttribute(name, "Metrics");
            assertThat(metrics.containsKey(new Object[] {"dsql_distributed_conn_lease_active"}))
                    .isTrue();
            assertThat(metrics.containsKey(new Object[] {"dsql_distributed_permits_granted_total"}))
                    .isTrue();
        }
        assertThat(JMX.isRegistered(name)).isFalse();
    }

    private static Leases.Lease lease(DynamoBudget budget) {
        return await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(() -> Local.wait(budget.leases().acquire()), lease -> lease != null);
    }

    private DynamoBudget.Builder builder() {
        return DynamoBudget.builder(cluster)
                .endpointOverride(Local.endpoint())
                .permitTable(table)
                .leaseTable(table)
                .serviceName("tests");
    }
}
