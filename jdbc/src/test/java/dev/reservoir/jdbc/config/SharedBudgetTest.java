package dev.reservoir.jdbc.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.jdbc.FakeDatabase;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.LogLines;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A budget that the environment asks for is found, used, and closed with the data source. */
public class SharedBudgetTest {

    /** The provider on the class path of the tests; see META-INF/services. */
    public static final class Maker implements BudgetProvider {
        public static final List<Recorded> made = new ArrayList<>();

        @Override
        public Budget fromEnvironment(Map<String, String> variables, String endpoint) {
            Recorded budget = new Recorded(endpoint);
            made.add(budget);
            return budget;
        }
    }

    public static final class Recorded implements Budget, Leases {
        final String endpoint;
        final AtomicInteger out = new AtomicInteger();
        public volatile int outAtTheEnd = -1;

        Recorded(String endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public Permits permits() {
            return LocalPermits.unlimited();
        }

        @Override
        public Leases leases() {
            return this;
        }

        @Override
        public CompletionStage<Lease> acquire() {
            int number = out.incrementAndGet();
            return CompletableFuture.completedFuture(() -> "lease " + number);
        }

        @Override
        public CompletionStage<Void> release(Lease lease) {
            out.decrementAndGet();
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public String describe() {
            return "recorded";
        }

        @Override
        public void close() {
            outAtTheEnd = out.get();
        }
    }

    @Test
    void itsLeasesAreUsedAndGivenBackBeforeItEnds() throws Exception {
        Maker.made.clear();
        FakeDatabase database = new FakeDatabase();
        ReservoirDataSource dataSource = ReservoirDataSource.fromEnvironment(Map.of(
                        "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true",
                        "CLUSTER_ENDPOINT", "abc.dsql.eu-west-1.on.aws",
                        "DSQL_STAGGERED_STARTUP", "false"))
                .dataSource(database)
                .maxOpen(3)
                .build();
        Recorded budget = Maker.made.get(0);
        try (dataSource;
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.isValid(1)).isTrue();
            assertThat(budget.endpoint).isEqualTo("abc.dsql.eu-west-1.on.aws");
            assertThat(budget.out.get()).isBetween(1, 4);
            assertThat(budget.outAtTheEnd).isEqualTo(-1);
        }
        assertThat(budget.outAtTheEnd).isZero();
    }

    @Test
    void withoutTheSwitchThereIsNone() {
        Maker.made.clear();
        ReservoirDataSource.fromEnvironment(Map.of("DSQL_DISTRIBUTED_CONN_LIMIT", "10"))
                .dataSource(new FakeDatabase())
                .maxOpen(1)
                .build()
                .close();
        assertThat(Maker.made).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    jdbc:postgresql://abc.dsql.eu-west-1.on.aws/postgres         | abc.dsql.eu-west-1.on.aws
                    jdbc:postgresql://abc.dsql.eu-west-1.on.aws:5432/postgres?a=b | abc.dsql.eu-west-1.on.aws
                    jdbc:aws-dsql:postgresql://user@abc.on.aws/postgres           | abc.on.aws
                    jdbc:postgresql://[::1]:5432/postgres                         | [::1]
                    """)
    void theEndpointIsTheHostOfTheUrl(String url, String host) {
        Budget budget = SharedBudget.open(wanted(Map.of()), url, List.of(new Maker()));
        assertThat(((Recorded) budget).endpoint).isEqualTo(host);
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThatThrownBy(() -> SharedBudget.open(wanted(Map.of()), "jdbc:h2:mem:x", List.of(new Maker())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("CLUSTER_ENDPOINT is missing; allowed: the cluster's host name");
        assertThatThrownBy(() -> SharedBudget.open(wanted(Map.of("CLUSTER_ENDPOINT", "c")), null, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED is true; allowed: true only with reservoir-dynamodb on"
                        + " the class path");
    }

    private static Map<String, String> wanted(Map<String, String> more) {
        Map<String, String> variables = new HashMap<>(more);
        variables.put("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true");
        return variables;
    }

    @Test
    void aSwitchThatIsNeitherOnNorOffCountsAsOffWithAWarning() {
        Map<String, String> variables =
                Map.of("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "yes", "CLUSTER_ENDPOINT", "a.example");
        try (LogLines log = new LogLines()) {
            assertThat(SharedBudget.wanted(variables)).isNull();
            assertThat(log.lines())
                    .containsExactly("WARN Reservoir: environment variable counts as false"
                            + "  key=DSQL_DISTRIBUTED_CONN_LEASE_ENABLED value=\"yes\" allowed=\"true or false\"");
        }
        assertThat(SharedBudget.wanted(Map.of("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", " ")))
                .isNull();
    }

    @Test
    void aSwitchThatIsOffIsNotPassedOnBesideOneThatIsOn() {
        assertThat(SharedBudget.wanted(Map.of(
                        "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "yes",
                        "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "1",
                        "AWS_SECRET_ACCESS_KEY", "secret")))
                .isEqualTo(Map.of("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "1"));
    }

    @Test
    void otherVariablesAreNotKept() {
        assertThat(SharedBudget.relevant(Map.of(
                        "AWS_SECRET_ACCESS_KEY", "secret",
                        "PGPASSWORD", "secret",
                        "AWS_REGION", "eu-west-1",
                        "CLUSTER_ENDPOINT", "a.example",
                        "DSQL_DISTRIBUTED_CONN_LIMIT", "5")))
                .containsOnlyKeys("AWS_REGION", "CLUSTER_ENDPOINT", "DSQL_DISTRIBUTED_CONN_LIMIT");
    }
}
