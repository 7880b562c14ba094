package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.testkit.FaultyProxy;
import dev.reservoir.testkit.FaultyProxy.Mode;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A checkout that validates its connection ends by its deadline, even if the driver waits for an answer that never
 * comes.
 */
class CheckoutDeadlineTest {
    private static final Duration DEADLINE = Duration.ofMillis(50);

    @ParameterizedTest
    @CsvSource({"CHECKOUT,", "CHECKOUT, select 1", "IDLE,", "IDLE, select 1"})
    @Timeout(300)
    void aValidationThatHangsDoesNotOutliveTheDeadline(Validation validation, String query) throws Exception {
        String name = "deadline-" + validation + (query == null ? "" : "-query");
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                ReservoirDataSource pool = builder(name, proxy, validation, query)
                        // Much longer than this test waits. Only the deadline can end the checkout.
                        .validationTimeout(Duration.ofHours(1))
                        .build()) {
            useInTime(pool);
            proxy.all(Mode.SWALLOW);

            long begunNanos = System.nanoTime();
            assertThatThrownBy(pool::getConnection)
                    .isInstanceOf(SQLTransientConnectionException.class)
                    .hasMessageStartingWith(
                            name + ": no connection within 50 ms. Limit reached: the validation at checkout");
            assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isLessThan(Pools.PATIENCE);
            assertThat(pool.stats().inUse())
                    .as("the one that is being validated")
                    .isEqualTo(1);

            proxy.all(Mode.PASS);
            Awaitility.await("the answer came after all")
                    .atMost(Pools.PATIENCE)
                    .until(() -> pool.stats().inUse() == 0);
            assertThat(pool.stats().discards()).isEmpty();
        }
        Pools.assertNoThreads(name);
    }

    @ParameterizedTest
    @CsvSource({"CHECKOUT,", "CHECKOUT, select 1", "IDLE,", "IDLE, select 1"})
    @Timeout(300)
    void oneThatDoesNotAnswerWithinItsTimeOutIsThrownAway(Validation validation, String query) throws Exception {
        String name = "no-answer-" + validation + (query == null ? "" : "-query");
        try (FaultyProxy proxy = FaultyProxy.to(TestPostgres.port());
                ReservoirDataSource pool = builder(name, proxy, validation, query)
                        .validationTimeout(Duration.ofMillis(200))
                        .build()) {
            useInTime(pool);
            proxy.all(Mode.SWALLOW);

            assertThatThrownBy(pool::getConnection).isInstanceOf(SQLTransientConnectionException.class);

            Awaitility.await("thrown away")
                    .atMost(Pools.PATIENCE)
                    .until(() -> pool.stats().discards().containsKey(DiscardReason.VALIDATION_FAILED));
            proxy.all(Mode.PASS);
            useInTime(pool);
        }
        Pools.assertNoThreads(name);
    }

    /** A busy machine may need more than one attempt, because the deadline is short. */
    private static void useInTime(ReservoirDataSource pool) {
        Awaitility.await("served in time")
                .atMost(Pools.PATIENCE)
                .ignoreExceptionsInstanceOf(SQLTransientConnectionException.class)
                .until(() -> Pools.useOnce(pool) > 0);
    }

    private static ReservoirDataSourceBuilder builder(
            String name, FaultyProxy proxy, Validation validation, String query) {
        return Pools.named(name, proxy.url(TestPostgres.url()))
                .maxOpen(1)
                .acquireTimeout(DEADLINE)
                .validation(validation)
                .validationIdle(Duration.ZERO)
                .validationQuery(query)
                .keepalive(Duration.ZERO);
    }
}
