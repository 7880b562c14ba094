package dev.reservoir.jdbc.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.SettingException;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.jdbc.EnvironmentNames;
import dev.reservoir.jdbc.FakeDatabase;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.LogLines;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A budget that the environment asks for is found, used, and closed with the data source. */
public class SharedBudgetTest {

    /** The provider on the class path of the tests; see META-INF/services. */
    public static final class Maker implements BudgetProvider {
        public static final List<Recorded> made = new ArrayList<>();

        @Override
        public Map<String, String> requested(Map<String, String> variables) {
            return variables.containsKey("BUDGET") ? Map.of("BUDGET", variables.get("BUDGET")) : Map.of();
        }

        @Override
        public Budget fromEnvironment(Map<String, String> variables, String endpoint) {
            Recorded budget = new Recorded(variables, endpoint);
            made.add(budget);
            return budget;
        }
    }

    public static final class Recorded implements Budget, Leases {
        final Map<String, String> variables;
        final String endpoint;
        final AtomicInteger out = new AtomicInteger();
        public volatile int outAtTheEnd = -1;

        Recorded(Map<String, String> variables, String endpoint) {
            this.variables = variables;
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
                        "BUDGET", "mine",
                        "CLUSTER_ENDPOINT", "db.example.org",
                        "PGPASSWORD", "secret",
                        "RESERVOIR_STAGGERED_STARTUP", "false"))
                .dataSource(database)
                .maxOpen(3)
                .build();
        Recorded budget = Maker.made.get(0);
        try (dataSource;
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.isValid(1)).isTrue();
            assertThat(budget.variables).isEqualTo(Map.of("BUDGET", "mine"));
            assertThat(budget.endpoint).isEqualTo("db.example.org");
            assertThat(budget.out.get()).isBetween(1, 4);
            assertThat(budget.outAtTheEnd).isEqualTo(-1);
        }
        assertThat(budget.outAtTheEnd).isZero();
    }

    @Test
    void withoutTheSwitchThereIsNone() {
        Maker.made.clear();
        ReservoirDataSource.fromEnvironment(Map.of("BUDGET_LIMIT", "10"))
                .dataSource(new FakeDatabase())
                .maxOpen(1)
                .build()
                .close();
        assertThat(Maker.made).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    jdbc:postgresql://db.example.org/postgres                     | db.example.org
                    jdbc:postgresql://db.example.org:5432/postgres?a=b            | db.example.org
                    jdbc:other:postgresql://user@abc.example.org/postgres         | abc.example.org
                    jdbc:postgresql://[::1]:5432/postgres                         | [::1]
                    """)
    void theEndpointIsTheHostOfTheUrl(String url, String host) {
        Budget budget =
                requested(Map.of("BUDGET", "mine"), List.of(new Maker())).open(url);
        assertThat(((Recorded) budget).endpoint).isEqualTo(host);
    }

    private static SharedBudget requested(Map<String, String> variables, List<BudgetProvider> providers) {
        EnvironmentNames names = new EnvironmentNames() {
            @Override
            public String prefix() {
                return "SHOP_";
            }

            @Override
            public Map<String, String> budgetSwitches() {
                return Map.of("SHOP_BUDGET", "the-budget-library");
            }
        };
        return SharedBudget.requested(variables, names, providers);
    }

    @Test
    void aBudgetThatItsProviderDoesNotGiveIsAnError() {
        BudgetProvider giving = new BudgetProvider() {
            @Override
            public Map<String, String> requested(Map<String, String> variables) {
                return Map.of("BUDGET", "mine");
            }

            @Override
            public @Nullable Budget fromEnvironment(Map<String, String> variables, String endpoint) {
                return null;
            }

            @Override
            public String toString() {
                return "an empty provider";
            }
        };
        SharedBudget budget = requested(Map.of("BUDGET", "mine"), List.of(giving));
        assertThatThrownBy(() -> budget.open("jdbc:postgresql://db.example.org/postgres"))
                .isInstanceOf(SettingException.class)
                .hasMessage("BUDGET is set; allowed: a budget, which an empty provider does not give");
    }

    @Test
    void aMissingEndpointIsNamed() {
        SharedBudget budget = requested(Map.of("BUDGET", "mine"), List.of(new Maker()));
        assertThatThrownBy(() -> budget.open("jdbc:h2:mem:x"))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("CLUSTER_ENDPOINT is missing; allowed: the host name of the cluster");
    }

    @Test
    void aMissingProviderIsNamed() {
        for (List<BudgetProvider> providers : List.<List<BudgetProvider>>of(List.of(), List.of(new Maker()))) {
            assertThatThrownBy(() -> requested(Map.of("SHOP_BUDGET", "true"), providers))
                    .isInstanceOf(SettingException.class)
                    .hasMessage("SHOP_BUDGET is true; allowed: true only with the-budget-library on the class path");
        }
    }

    @Test
    void aSwitchThatIsNeitherOnNorOffCountsAsOffWithAWarning() {
        try (LogLines log = new LogLines()) {
            assertThat(requested(Map.of("SHOP_BUDGET", "yes"), List.of())).isNull();
            assertThat(log.lines())
                    .containsExactly("WARN Reservoir: environment variable counts as false"
                            + "  key=SHOP_BUDGET value=\"yes\" allowed=\"true or false\"");
        }
        assertThat(requested(Map.of("SHOP_BUDGET", " "), List.of())).isNull();
    }
}
