package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.dsql.DsqlDataSource.Mode;
import dev.reservoir.dsql.tx.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** DSQL has one isolation level and refuses to be told it: what holds already is not sent. */
class IsolationTest {
    @RegisterExtension
    static final TestCluster cluster = TestCluster.real();

    @ParameterizedTest
    @EnumSource(Mode.class)
    void theLevelThatHoldsIsNotSent(Mode mode) throws SQLException {
        try (DsqlDataSource dataSource = cluster.builder().mode(mode).maxOpen(1).build();
                Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            // Whatever is sent fails from now on.
            cluster.faults().unavailable(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void anotherLevelIsForTheServerToRefuse(Mode mode) throws SQLException {
        try (DsqlDataSource dataSource = cluster.builder().mode(mode).maxOpen(1).build();
                Connection connection = dataSource.getConnection()) {
            assertThatThrownBy(() -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void itMayBeASettingOfThePool(Mode mode) throws SQLException {
        String level = "TRANSACTION_REPEATABLE_READ";
        try (DsqlDataSource dataSource = cluster.builder()
                        .mode(mode)
                        .maxOpen(1)
                        .reservoir(pool -> pool.transactionIsolation(level))
                        .hikari(pool -> pool.setTransactionIsolation(level))
                        .build();
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.isValid(10)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void workMaySetItToo(Mode mode) throws SQLException {
        try (DsqlDataSource dataSource = cluster.builder().mode(mode).maxOpen(1).build()) {
            Transactions.on(dataSource)
                    .execute("isolated", tx -> tx.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ));
        }
    }
}
