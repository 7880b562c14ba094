package dev.reservoir.jdbc.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring's JdbcTemplate and its transactions. */
class SpringJdbcTest {
    private final ReservoirDataSource dataSource = ReservoirDataSource.builder()
            .url(TestPostgres.url())
            .maxOpen(1)
            .acquireTimeout(Duration.ofSeconds(2))
            .build();
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));

    @BeforeEach
    void createTable() {
        jdbc.execute("drop table if exists spring_orders");
        jdbc.execute("create table spring_orders (id int primary key, what text)");
    }

    @AfterEach
    void close() {
        jdbc.execute("drop table spring_orders");
        dataSource.close();
    }

    @Test
    void rowsAreWrittenAndRead() {
        jdbc.batchUpdate(
                "insert into spring_orders values (?, ?)", List.of(new Object[] {1, "tea"}, new Object[] {2, "jam"}));

        assertThat(jdbc.queryForList("select what from spring_orders order by id", String.class))
                .containsExactly("tea", "jam");
        assertThat(dataSource.stats().inUse()).isZero();
        assertThat(dataSource.stats().opened()).isEqualTo(1);
    }

    @Test
    void aTransactionIsCommittedOrRolledBack() {
        transaction.executeWithoutResult(status -> jdbc.update("insert into spring_orders values (1, 'kept')"));
        transaction.executeWithoutResult(status -> {
            jdbc.update("insert into spring_orders values (2, 'lost')");
            status.setRollbackOnly();
        });

        assertThat(jdbc.queryForList("select what from spring_orders", String.class))
                .containsExactly("kept");
    }

    @Test
    void settingsOfATransactionDoNotOutliveIt() {
        transaction.setReadOnly(true);
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
        String inside = transaction.execute(status -> jdbc.queryForObject("show transaction_isolation", String.class));

        assertThat(inside).isEqualTo("serializable");
        assertThat(jdbc.queryForObject("show transaction_isolation", String.class))
                .isEqualTo("read committed");
        assertThat(jdbc.update("insert into spring_orders values (1, 'writable')"))
                .isEqualTo(1);
    }

    @Test
    void errorsAreTranslatedAndTheConnectionIsKept() {
        jdbc.update("insert into spring_orders values (1, 'first')");

        assertThatThrownBy(() -> jdbc.update("insert into spring_orders values (1, 'second')"))
                .isInstanceOf(DuplicateKeyException.class);

        assertThat(jdbc.queryForObject("select count(*) from spring_orders", Integer.class))
                .isEqualTo(1);
        assertThat(dataSource.stats().opened()).isEqualTo(1);
    }

    @Test
    void anEmptyReservoirIsAnErrorThatSpringKnows() {
        transaction.executeWithoutResult(status -> {
            jdbc.queryForObject("select 1", Integer.class);
            JdbcTemplate other = new JdbcTemplate(dataSource);
            TransactionTemplate inner = new TransactionTemplate(new JdbcTransactionManager(dataSource));
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            assertThatThrownBy(() -> inner.execute(s -> other.queryForObject("select 1", Integer.class)))
                    .isInstanceOf(CannotCreateTransactionException.class)
                    .hasRootCauseInstanceOf(SQLTransientConnectionException.class);
        });
    }
}
