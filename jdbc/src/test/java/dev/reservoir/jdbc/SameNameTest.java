package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.config.SharedBudgetTest;
import dev.reservoir.jdbc.pool.DataSourceRegistry;
import dev.reservoir.testkit.LogLines;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** Two data sources of one process may have the same name, for example if two application contexts run side by side. */
class SameNameTest {
    private final FakeDatabase fake = new FakeDatabase();

    private ReservoirDataSource named(String name) {
        return builder(name).build();
    }

    private ReservoirDataSourceBuilder builder(String name) {
        return ReservoirDataSource.builder()
                .dataSource(fake)
                .name(name)
                .maxOpen(1)
                .drainTimeout(Duration.ZERO);
    }

    @Test
    void theSecondOneGetsANumberAndAWarningNamesBoth() throws SQLException {
        try (LogLines log = new LogLines();
                ReservoirDataSource first = named("twins")) {
            assertThat(log.startingWith("WARN")).isEmpty();
            try (ReservoirDataSource second = named("twins")) {
                assertThat(first.getName()).isEqualTo("twins");
                assertThat(second.getName()).isEqualTo("twins-2");
                assertThat(second).hasToString("ReservoirDataSource[twins-2]");
                second.getConnection().close();
                assertThat(log.startingWith("WARN"))
                        .containsExactly(
                                "WARN Reservoir: another data source of this process has this name, so this one"
                                        + " gets a number  wanted=twins reservoir=twins-2");
            }
        }
    }

    @Test
    void theNumberTellsThemApartInJmxThreadsAndUrls() throws Exception {
        try (ReservoirDataSource first =
                        builder("apart").threadFactory(Thread::new).build();
                ReservoirDataSource second =
                        builder("apart").threadFactory(Thread::new).build()) {
            for (String name : new String[] {"apart", "apart-2"}) {
                ObjectName bean = new ObjectName("dev.reservoir:type=ReservoirDataSource,name=" + name);
                assertThat(ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "Name"))
                        .isEqualTo(name);
                assertThat(LiveThreads.of(name)).isNotEmpty();
            }
            try (Connection connection = DriverManager.getConnection("jdbc:reservoir:apart-2")) {
                assertThat(connection.isClosed()).isFalse();
                assertThat(first.stats().inUse()).isZero();
                assertThat(second.stats().inUse()).isEqualTo(1);
            }
        }
    }

    @Test
    void theFirstFreeNumberIsTaken() {
        ReservoirDataSource first = named("free");
        ReservoirDataSource given = named("free-2");
        ReservoirDataSource third = named("free");
        assertThat(third.getName()).isEqualTo("free-3");

        given.close();
        ReservoirDataSource fourth = named("free");
        assertThat(fourth.getName()).isEqualTo("free-2");

        first.close();
        ReservoirDataSource fifth = named("free");
        assertThat(fifth.getName()).as("once it is free again").isEqualTo("free");
        third.close();
        fourth.close();
        fifth.close();
    }

    @Test
    void aBeanShowsTheNameThatWasSetUntilItStarts() throws Exception {
        try (ReservoirDataSource first = named("shown");
                ReservoirDataSource second = new ReservoirDataSource()) {
            assertThat(first.isRunning()).isTrue();
            FakeDatabase.FakeDriver.database("shown");
            second.setName("shown");
            second.setUrl("jdbc:fake:shown");
            second.setDriverClassName(FakeDatabase.FakeDriver.class.getName());
            assertThat(second.getName()).isEqualTo("shown");

            second.start();

            assertThat(second.getName()).isEqualTo("shown-2");
            assertThat(second.getReference().get("name").getContent())
                    .as("what was set")
                    .isEqualTo("shown");
        }
    }

    @Test
    void aUrlWithTheNameOfNoneSaysWhichRun() {
        ReservoirDataSource first = named("listed");
        try (ReservoirDataSource second = named("listed")) {
            first.close();
            assertThat(second.isRunning()).isTrue();
            assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:listed"))
                    .hasMessageContaining("listed-2");
        }
    }

    private ReservoirDataSourceBuilder budgeted(String name) {
        return ReservoirDataSource.fromEnvironment(Map.of("BUDGET", "mine", "CLUSTER_ENDPOINT", "c"))
                .name(name)
                .dataSource(fake)
                .staggeredStartup(false)
                .maxOpen(1);
    }

    @Test
    void eachHasABudgetOfItsOwn() {
        SharedBudgetTest.Maker.made.clear();
        try (ReservoirDataSource first = budgeted("budgets").build();
                ReservoirDataSource second = budgeted("budgets").build()) {
            assertThat(first.getName()).isEqualTo("budgets");
            assertThat(second.getName()).isEqualTo("budgets-2");
        }
        assertThat(SharedBudgetTest.Maker.made)
                .hasSize(2)
                .allSatisfy(budget -> assertThat(budget.outAtTheEnd).isZero());
    }

    @Test
    void aStartThatFailsLeavesNeitherItsNameNorItsBudgetBehind() {
        SharedBudgetTest.Maker.made.clear();
        ThreadFactory none = task -> {
            throw new IllegalStateException("no threads today");
        };

        assertThatThrownBy(() -> budgeted("failed").threadFactory(none).build())
                .hasRootCauseMessage("no threads today");

        assertThat(SharedBudgetTest.Maker.made)
                .singleElement()
                .satisfies(budget -> assertThat(budget.outAtTheEnd).isZero());
        assertThat(DataSourceRegistry.names()).doesNotContain("failed");
    }
}
