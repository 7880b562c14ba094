package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a driver throws, and wherever: the connection comes back exactly once, as bad, and what was half made is closed. */
class DriverErrorsTest {
    private final TestHome home = new TestHome();
    private final Recorder recorder = new Recorder();
    private final Connection raw = recorder.idle(Connection.class);
    private final Error error = new OutOfMemoryError("as a driver throws it");

    private void isBackOnceAndBad(LentConnection lent) throws SQLException {
        assertThat(home.returns).containsExactly(false);
        assertThat((Throwable) lent.physical.whyBad()).isNotNull();
        assertThat(lent.isClosed()).isTrue();
        recorder.failures.clear();
        lent.close();
        lent.abort(Runnable::run);
        assertThat(home.returns).hasSize(1);
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
        LentConnection lent = home.lend(physical);
        lent.setAutoCommit(false);
        lent.setReadOnly(false);
        lent.setTransactionIsolation(Connection.TRANSACTION_NONE);
        lent.setCatalog("other");
        lent.setSchema("other");
        lent.setHoldability(1);
        lent.setTypeMap(java.util.Map.of());
        recorder.answers.put("getTypeMap", java.util.Map.of("x", String.class));
        lent.setClientInfo("name", "value");
        lent.setNetworkTimeout(Runnable::run, 12_345);
        Statement first = lent.createStatement();
        Statement second = lent.createStatement();
        first.execute("insert");
        recorder.failures.put(place, error);

        assertThatThrownBy(lent::close).isSameAs(error);

        isBackOnceAndBad(lent);
        assertThat(first.isClosed()).isTrue();
        assertThat(second.isClosed()).isTrue();
    }

    @Test
    void anErrorInTheAbort() throws SQLException {
        LentConnection lent = home.lend(raw);
        recorder.failures.put("abort", error);

        assertThatThrownBy(() -> lent.abort(Runnable::run)).isSameAs(error);

        isBackOnceAndBad(lent);
    }

    @Test
    void anErrorOfTheErrorRule() throws SQLException {
        home.rule = e -> {
            throw new StackOverflowError();
        };
        LentConnection lent = home.lend(raw);
        lent.createStatement();
        recorder.failures.put("close", new SQLException("no", "08006"));

        assertThatThrownBy(lent::close).isInstanceOf(StackOverflowError.class);

        isBackOnceAndBad(lent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"createStatement", "commit", "setSchema", "getMetaData", "isValid", "isClosed"})
    void afterAnErrorInACallOfTheConnectionItIsNotHandedOutAgain(String place) throws Exception {
        LentConnection lent = home.lend(raw);
        recorder.failures.put(place, error);

        assertThatThrownBy(() -> {
                    switch (place) {
                        case "createStatement" -> lent.createStatement();
                        case "commit" -> lent.commit();
                        case "setSchema" -> lent.setSchema("x");
                        case "getMetaData" -> lent.getMetaData();
                        case "isValid" -> lent.isValid(1);
                        default -> lent.isClosed();
                    }
                })
                .isSameAs(error);
        recorder.failures.clear();
        lent.close();

        isBackOnceAndBad(lent);
        assertThat(home.brokenBy).isEmpty();
    }

    @Test
    void afterAnErrorInACallOfAStatementTheConnectionIsNotHandedOutAgain() throws SQLException {
        LentConnection lent = home.lend(raw);
        Statement statement = lent.createStatement();
        recorder.failures.put("execute", error);

        assertThatThrownBy(() -> statement.execute("select 1")).isSameAs(error);
        recorder.clear();
        lent.close();

        assertThat(recorder.names()).isEmpty();
        isBackOnceAndBad(lent);
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
            assertThat(dataSource.stats().lent()).isZero();
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
            assertThat(dataSource.stats().lent()).isZero();
        }
    }
}
