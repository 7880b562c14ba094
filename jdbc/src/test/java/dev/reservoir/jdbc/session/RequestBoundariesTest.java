package dev.reservoir.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.jdbc.FakeDatabase;
import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A driver with request boundaries is told where each checkout begins and ends. */
class RequestBoundariesTest {
    private final FakeDatabase fake = new FakeDatabase();

    private ReservoirDataSource open() {
        return ReservoirDataSource.builder()
                .dataSource(fake)
                .maxOpen(1)
                .successorAllowance(0)
                .drainTimeout(Duration.ofSeconds(1))
                .build();
    }

    private List<String> boundaries() {
        return fake.connections.get(0).calls.stream()
                .filter(Set.of("beginRequest", "endRequest", "rollback")::contains)
                .toList();
    }

    @Test
    void eachCheckoutIsARequestOfTheDriver() throws SQLException {
        fake.autoCommit = false;
        try (ReservoirDataSource dataSource = open()) {
            dataSource.getConnection().close();
            try (Connection connection = dataSource.getConnection()) {
                connection.getSchema();
                assertThat(boundaries()).containsExactly("beginRequest", "endRequest", "beginRequest");
            }
            assertThat(boundaries())
                    .containsExactly("beginRequest", "endRequest", "beginRequest", "rollback", "endRequest");
        }
    }

    @Test
    void theCallersOwnCallsDoNotUnbalanceIt() throws SQLException {
        try (ReservoirDataSource dataSource = open()) {
            try (Connection connection = dataSource.getConnection()) {
                connection.endRequest();
                connection.beginRequest();
                connection.beginRequest();
            }
            assertThat(boundaries()).containsExactly("beginRequest", "endRequest");
        }
    }

    @Test
    void aFailingEndCostsTheConnection() throws SQLException {
        try (ReservoirDataSource dataSource = open()) {
            Connection connection = dataSource.getConnection();
            fake.connections.get(0).failures.put("endRequest", new SQLException("no end"));
            connection.close();

            await().atMost(Duration.ofSeconds(30)).until(() -> fake.connections.get(0).closed);
            dataSource.getConnection().close();
            assertThat(fake.connections).hasSize(2);
        }
    }

    @Test
    void aFailingBeginCostsTheConnectionAndIsTold() throws SQLException {
        try (ReservoirDataSource dataSource = open()) {
            dataSource.getConnection().close();
            SQLException failure = new SQLException("no begin");
            fake.connections.get(0).failures.put("beginRequest", failure);
            // The replacement must not be ready before the caller gets the error.
            fake.hang = new CountDownLatch(1);

            assertThatThrownBy(dataSource::getConnection).isSameAs(failure);

            fake.hang.countDown();
            await().atMost(Duration.ofSeconds(30)).until(() -> fake.connections.get(0).closed);
            dataSource.getConnection().close();
        }
    }

    @Test
    void aFailingBeginIsNotTheCallersConcernWhileAnotherConnectionIsReady() throws SQLException {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .dataSource(fake)
                .maxOpen(2)
                .minOpen(2)
                .targetReady(2)
                .lowWatermark(2)
                .successorAllowance(0)
                .drainTimeout(Duration.ofSeconds(1))
                .build()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dataSource.stats().ready() == 2);
            Connection first = dataSource.getConnection();
            int bad = fake.connections.get(0).calls.contains("beginRequest") ? 0 : 1;
            first.close();
            fake.connections.get(bad).failures.put("beginRequest", new SQLException("no begin"));

            try (Connection one = dataSource.getConnection()) {
                assertThat(one.isClosed()).isFalse();
            }
        }
    }

    @Test
    void theNextConnectionAfterAFailingBeginIsValidatedToo() throws SQLException {
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .dataSource(fake)
                .maxOpen(2)
                .minOpen(2)
                .successorAllowance(0)
                .validation(Validation.CHECKOUT)
                .drainTimeout(Duration.ofSeconds(1))
                .build()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dataSource.stats().ready() == 2);
            Connection first = dataSource.getConnection();
            int bad = fake.connections.get(0).calls.contains("beginRequest") ? 0 : 1;
            first.close();
            fake.connections.get(bad).failures.put("beginRequest", new SQLException("no begin"));
            fake.connections.get(1 - bad).valid = false;

            try (Connection one = dataSource.getConnection()) {
                assertThat(one.isClosed()).isFalse();
            } catch (SQLException e) {
                assertThat((Throwable) e).hasMessage("no begin");
            }
            assertThat(fake.connections.get(1 - bad).calls).doesNotContain("beginRequest");
        }
    }

    @Test
    void aDriverWithJdbcsDefaultIsNotCalled() throws SQLException {
        try (Connection postgres = TestPostgres.open()) {
            assertThat(RequestBoundaries.has(postgres)).isFalse();
            assertThat(new PhysicalConnection(postgres).hasRequests).isFalse();
        }
        assertThat(RequestBoundaries.has(new Recorder().idle(Connection.class))).isTrue();
    }
}
