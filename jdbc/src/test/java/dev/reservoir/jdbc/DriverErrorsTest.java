package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.jdbc.wrap.PhysicalConnection;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No matter what a driver throws, and where: the connection is released exactly once, as bad, and objects that were
 * only half made are closed.
 */
class DriverErrorsTest {
    private final TestConnectionOwner owner = new TestConnectionOwner();
    private final Recorder recorder = new Recorder();
    private final Connection raw = recorder.idle(Connection.class);
    private final Error error = new OutOfMemoryError("as a driver throws it");

    private void isBackOnceAndBad(WrappedConnection inUse) throws SQLException {
        assertThat(owner.returns).containsExactly(false);
        assertThat((Throwable) inUse.physical.whyBad()).isNotNull();
        assertThat(inUse.isClosed()).isTrue();
        recorder.failures.clear();
        inUse.close();
        inUse.abort(Runnable::run);
        assertThat(owner.returns).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "close",
                "rollback",
                "setAutoCommit",
                "setReadOnly",
                "setTransactionIsolation",
                "setCatalog",
                "setSchema",
                "setHoldability",
                "setTypeMap",
                "setClientInfo",
                "setNetworkTimeout",
                "clearWarnings",
                "endRequest"
            })
    void anErrorInTheReset(String place) throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        physical.beginRequest();
        WrappedConnection inUse = owner.acquire(physical);
        inUse.setAutoCommit(false);
        inUse.setReadOnly(false);
        inUse.setTransactionIsolation(Connection.TRANSACTION_NONE);
        inUse.setCatalog("other");
        inUse.setSchema("other");
        inUse.setHoldability(1);
        inUse.setTypeMap(java.util.Map.of());
        recorder.answers.put("getTypeMap", java.util.Map.of("x", String.class));
        inUse.setClientInfo("name", "value");
        inUse.setNetworkTimeout(Runnable::run, 12_345);
        Statement first = inUse.createStatement();
        Statement second = inUse.createStatement();
        first.execute("insert");
        recorder.failures.put(place, error);

        assertThatThrownBy(inUse::close).isSameAs(error);

        isBackOnceAndBad(inUse);
        assertThat(first.isClosed()).isTrue();
        assertThat(second.isClosed()).isTrue();
    }

    @Test
    void anErrorInTheAbort() throws SQLException {
        WrappedConnection inUse = owner.acquire(raw);
        recorder.failures.put("abort", error);

        assertThatThrownBy(() -> inUse.abort(Runnable::run)).isSameAs(error);

        isBackOnceAndBad(inUse);
    }

    @Test
    void anErrorOfTheErrorRule() throws SQLException {
        owner.rule = e -> {
            throw new StackOverflowError();
        };
        WrappedConnection inUse = owner.acquire(raw);
        inUse.createStatement();
        recorder.failures.put("close", new SQLException("no", "08006"));

        assertThatThrownBy(inUse::close).isInstanceOf(StackOverflowError.class);

        isBackOnceAndBad(inUse);
    }

    @ParameterizedTest
    @ValueSource(strings = {"createStatement", "commit", "setSchema", "getMetaData", "isValid", "isClosed"})
    void afterAnErrorInACallOfTheConnectionItIsNotHandedOutAgain(String place) throws Exception {
        WrappedConnection inUse = owner.acquire(raw);
        recorder.failures.put(place, error);

        assertThatThrownBy(() -> {
                    switch (place) {
                        case "createStatement" -> inUse.createStatement();
                        case "commit" -> inUse.commit();
                        case "setSchema" -> inUse.setSchema("x");
                        case "getMetaData" -> inUse.getMetaData();
                        case "isValid" -> inUse.isValid(1);
                        default -> inUse.isClosed();
                    }
                })
                .isSameAs(error);
        recorder.failures.clear();
        inUse.close();

        isBackOnceAndBad(inUse);
        assertThat(owner.brokenBy).isEmpty();
    }

    @Test
    void afterAnErrorInACallOfAStatementTheConnectionIsNotHandedOutAgain() throws SQLException {
        WrappedConnection inUse = owner.acquire(raw);
        Statement statement = inUse.createStatement();
        recorder.failures.put("execute", error);

        assertThatThrownBy(() -> statement.execute("select 1")).isSameAs(error);
        recorder.clear();
        inUse.close();

        assertThat(recorder.names()).isEmpty();
        isBackOnceAndBad(inUse);
    }

    @Test
    void anErrorWhileTheCheckoutBeginsGivesTheConnectionBackAsBad() throws SQLException {
        FakeDatabase fake = new FakeDatabase();
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .dataSource(fake)
                .maxOpen(1)
                .successorAllowance(0)
                .drainTimeout(Duration.ofSeconds(1))
                .build()) {
            dataSource.getConnection().close();
            fake.connections.get(0).failures.put("beginRequest", error);

            assertThatThrownBy(dataSource::getConnection).isSameAs(error);

            await().atMost(Duration.ofSeconds(30)).until(() -> fake.connections.get(0).closed);
            dataSource.getConnection().close();
            assertThat(dataSource.stats().inUse()).isZero();
            assertThat(fake.connections).hasSize(2);
        }
    }

    @Test
    void anErrorWhileTheConnectionIsReleasedGivesItBackAsBad() throws SQLException {
        FakeDatabase fake = new FakeDatabase();
        try (ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .dataSource(fake)
                .maxOpen(1)
                .successorAllowance(0)
                .drainTimeout(Duration.ofSeconds(1))
                .build()) {
            Connection connection = dataSource.getConnection();
            connection.getSchema();
            fake.connections.get(0).failures.put("clearWarnings", error);

            assertThatThrownBy(connection::close).isSameAs(error);

            await().atMost(Duration.ofSeconds(30)).until(() -> fake.connections.get(0).closed);
            dataSource.getConnection().close();
            assertThat(dataSource.stats().inUse()).isZero();
        }
    }
}
