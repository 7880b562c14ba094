package dev.reservoir.jdbc.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** jOOQ: statements, transactions, and a result that is read while its connection is open. */
class JooqTest {
    private static final Table<Record> ORDERS = table(name("jooq_orders"));
    private static final Field<Integer> ID = field(name("id"), SQLDataType.INTEGER);
    private static final Field<String> WHAT = field(name("what"), SQLDataType.VARCHAR);

    private final ReservoirDataSource dataSource =
            ReservoirDataSource.builder().url(TestPostgres.url()).maxOpen(2).build();
    private final DSLContext jooq = DSL.using(dataSource, SQLDialect.POSTGRES);

    @BeforeEach
    void createTable() {
        jooq.dropTableIfExists(ORDERS).execute();
        jooq.createTable(ORDERS).column(ID).column(WHAT).execute();
    }

    @AfterEach
    void close() {
        jooq.dropTable(ORDERS).execute();
        dataSource.close();
    }

    @Test
    void rowsAreWrittenAndRead() {
        jooq.insertInto(ORDERS, ID, WHAT).values(1, "tea").values(2, "jam").execute();

        assertThat(jooq.select(WHAT).from(ORDERS).orderBy(ID).fetch(WHAT)).containsExactly("tea", "jam");
        assertThat(dataSource.stats().inUse()).isZero();
    }

    @Test
    void aTransactionIsCommittedOrRolledBack() {
        jooq.transaction(
                t -> t.dsl().insertInto(ORDERS, ID, WHAT).values(1, "kept").execute());
        assertThatThrownBy(() -> jooq.transaction(t -> {
                    t.dsl().insertInto(ORDERS, ID, WHAT).values(2, "lost").execute();
                    throw new IllegalStateException("changed my mind");
                }))
                .isInstanceOf(IllegalStateException.class);

        assertThat(jooq.select(count()).from(ORDERS).fetchOne(0, int.class)).isEqualTo(1);
    }

    @Test
    void aStreamHoldsItsConnectionUntilItIsClosed() {
        jooq.insertInto(ORDERS, ID, WHAT).values(1, "tea").values(2, "jam").execute();
        try (Stream<Record> rows = jooq.selectFrom(ORDERS).orderBy(ID).fetchSize(1).stream()) {
            List<String> whats = rows.map(r -> r.get(WHAT)).toList();
            assertThat(whats).containsExactly("tea", "jam");
        }
        assertThat(dataSource.stats().inUse()).isZero();
    }
}
