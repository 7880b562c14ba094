package dev.reservoir.dsql.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.dsql.error.ConditionFailedException;
import dev.reservoir.testkit.RealPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fenced updates and locks on a real database. */
class FencedTest {
    private static final Fenced SHARDS =
            Fenced.table("fenced_shards").key("region", "shard_id").token("range_id");
    private static final List<Object> SEVEN = List.of("eu", 7);

    private final DataSource dataSource = RealPostgres.repeatableRead();
    private final Transactions transactions = Transactions.on(
            dataSource, Retries.builder().base(Duration.ofMillis(1)).build());

    @BeforeEach
    void createTable() {
        RealPostgres.execute(
                "drop table if exists fenced_shards",
                "create table fenced_shards (region text, shard_id int, range_id bigint not null, owner text,"
                        + " primary key (region, shard_id))",
                "insert into fenced_shards values ('eu', 7, 41, 'a'), ('eu', 8, 1, 'a')");
    }

    private Optional<String> owner() throws SQLException {
        return transactions.read(
                "owner",
                tx -> Locks.one(
                        tx,
                        "select owner || range_id from fenced_shards where region = ? and shard_id = ?",
                        SEVEN,
                        row -> row.getString(1)));
    }

    @Test
    void anUpdateUnderTheRightTokenIsDone() throws SQLException {
        transactions.execute("keep", tx -> SHARDS.update(tx, SEVEN, 41, 41, Map.of("owner", "b")));
        assertThat(owner()).contains("b41");
        transactions.execute("take", tx -> SHARDS.update(tx, SEVEN, 41, 42, Map.of()));
        assertThat(owner()).contains("b42");
    }

    @Test
    void theTokenIsNoneOfTheChanges() throws SQLException {
        assertThatThrownBy(() ->
                        transactions.execute("keep", tx -> SHARDS.update(tx, SEVEN, 41, 41, Map.of("Range_Id", 7))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("column of fenced_shards to change is \"Range_Id\"; allowed: any except the token's, which"
                        + " only newToken changes");
        assertThat(owner()).contains("a41");
    }

    @Test
    void aTokenOfNullIsNotTheToken0() throws SQLException {
        RealPostgres.execute(
                "alter table fenced_shards alter range_id drop not null",
                "insert into fenced_shards values ('eu', 9, null, 'a'), ('eu', 10, 0, 'a')");
        List<Object> nine = List.of("eu", 9);
        String message =
                "fenced_shards [eu, 9]: its fencing token is NULL, so no process can own it; nothing was changed";

        assertThatThrownBy(() -> transactions.execute("lock", tx -> SHARDS.lock(tx, nine, 0)))
                .isInstanceOf(ConditionFailedException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> transactions.run("read", tx -> SHARDS.read(tx, nine)))
                .isInstanceOf(ConditionFailedException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> transactions.run("take", tx -> SHARDS.autoUpdate(tx, nine, Map.of("owner", "b"))))
                .isInstanceOf(ConditionFailedException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> transactions.execute("keep", tx -> SHARDS.update(tx, nine, 0, 0, Map.of())))
                .isInstanceOf(ConditionFailedException.class);

        List<Object> ten = List.of("eu", 10);
        transactions.execute("lock", tx -> SHARDS.lock(tx, ten, 0));
        assertThat(transactions.<OptionalLong>run("read", tx -> SHARDS.read(tx, ten)))
                .hasValue(0);
    }

    @Test
    void underAnotherTokenNothingChanges() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(() -> transactions.execute("take", tx -> {
                    runs.incrementAndGet();
                    SHARDS.update(tx, SEVEN, 40, 41, Map.of("owner", "b"));
                }))
                .isInstanceOfSatisfying(ConditionFailedException.class, e -> {
                    assertThat(e.entity()).isEqualTo("fenced_shards [eu, 7]");
                    assertThat(e.expectedToken()).isEqualTo("40");
                })
                .hasMessage("fenced_shards [eu, 7]: the fencing token is no longer 40, so another process owns the row;"
                        + " nothing was changed");
        assertThat(runs).hasValue(1);
        assertThat(owner()).contains("a41");
    }

    @Test
    void autoFencedUpdatesReadTheTokenAndIncreaseIt() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            assertThat(SHARDS.autoUpdate(connection, SEVEN, Map.of("owner", "b")))
                    .isEqualTo(42);
            assertThat(SHARDS.read(connection, SEVEN)).hasValue(42);
            assertThatThrownBy(() -> SHARDS.autoUpdate(connection, List.of("eu", 9), Map.of()))
                    .isInstanceOf(ConditionFailedException.class)
                    .hasMessage("fenced_shards [eu, 9]: there is no such row; nothing was changed");
            assertThat(SHARDS.read(connection, List.of("eu", 9))).isEmpty();
        }
        assertThat(owner()).contains("b42");
    }

    @Test
    void nullIsAValueToo() throws SQLException {
        Map<String, Object> nobody = new HashMap<>();
        nobody.put("owner", null);
        transactions.execute("free", tx -> SHARDS.update(tx, SEVEN, 41, 41, nobody));
        assertThat(transactions.<String>read(
                        "owner",
                        tx -> Locks.one(
                                        tx,
                                        "select coalesce(owner, 'nobody') from fenced_shards where shard_id = ?",
                                        List.of(7),
                                        row -> row.getString(1))
                                .orElseThrow()))
                .isEqualTo("nobody");
    }

    @Test
    void theGeneralFormServesEveryOtherStatement() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            String sql = "delete from fenced_shards where region = ? and range_id <= ?";
            assertThat(Fenced.update(connection, sql, List.of("eu", 41L), "region eu", 41L))
                    .isEqualTo(2);
            assertThatThrownBy(() -> Fenced.update(connection, sql, List.of("eu", 41L), "region eu", 41L))
                    .isInstanceOf(ConditionFailedException.class)
                    .hasMessageStartingWith("region eu: the fencing token is no longer 41");
        }
    }

    @Test
    void aLockedTokenCannotBeTakenUnnoticed() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(() -> transactions.execute("write", tx -> {
                    if (runs.incrementAndGet() == 1) {
                        // The transaction sees the shard as its own, and is overtaken before it locks it.
                        assertThat(SHARDS.read(tx, SEVEN)).hasValue(41);
                        RealPostgres.execute("update fenced_shards set range_id = 42 where shard_id = 7");
                    }
                    SHARDS.lock(tx, SEVEN, 41);
                }))
                .isInstanceOf(ConditionFailedException.class);
        assertThat(runs).as("a conflict, then the other token").hasValue(2);

        transactions.execute("write", tx -> SHARDS.lock(tx, SEVEN, 42));
        assertThatThrownBy(() -> transactions.execute("write", tx -> SHARDS.lock(tx, List.of("eu", 9), 1)))
                .isInstanceOf(ConditionFailedException.class);
    }

    @Test
    void aSplitReadLocksOneTableAndReadsTheOther() throws SQLException {
        Locks.Row<String> text = row -> row.getString(1);
        String both = transactions.run(
                "split",
                tx -> Locks.split(
                                () -> Locks.forUpdate(
                                        tx, "fenced_shards", "owner", "region = ? and shard_id = ?", SEVEN, text),
                                owner -> owner
                                        + Locks.one(
                                                        tx,
                                                        "select range_id from fenced_shards where owner = ? and shard_id = 8",
                                                        List.of(owner),
                                                        text)
                                                .orElseThrow())
                        .orElseThrow());
        assertThat(both).isEqualTo("a1");
        Optional<String> none = transactions.run(
                "split",
                tx -> Locks.split(
                        () -> Locks.forUpdate(tx, "fenced_shards", "owner", "shard_id = ?", List.of(99), text),
                        owner -> owner));
        assertThat(none).isEmpty();
    }

    @Test
    void namesAndConditionsThatAreMoreThanThatAreRefused() throws SQLException {
        assertThatThrownBy(() -> Fenced.table("a, b")).hasMessageStartingWith("table is \"a, b\"; allowed: a name");
        assertThatThrownBy(() -> Fenced.table("a").key("b = 1 or c")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Fenced.table("a").token("b")).isInstanceOf(IllegalStateException.class);
        try (Connection connection = dataSource.getConnection()) {
            assertThatThrownBy(() -> SHARDS.read(connection, List.of("eu")))
                    .hasMessage("key of fenced_shards is [eu]; allowed: one value for each of [region, shard_id]");
            assertThatThrownBy(() -> SHARDS.update(connection, SEVEN, 1, 1, Map.of("a = 1, b", 1)))
                    .isInstanceOf(IllegalArgumentException.class);
            for (String where : List.of("id = ? for share", "id = 1; drop table x", "a = 1 FOR NO KEY UPDATE")) {
                assertThatThrownBy(() -> Locks.forUpdate(connection, "a", "*", where, List.of(), row -> 1))
                        .hasMessageStartingWith("where is");
            }
            assertThatThrownBy(() -> Locks.forUpdate(connection, "a join b on true", "*", "1=1", List.of(), row -> 1))
                    .hasMessageStartingWith("table is");
        }
    }
}
