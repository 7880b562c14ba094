package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reservoir.remote.adapter.catalog.ColumnInfo;
import dev.reservoir.remote.adapter.catalog.IndexInfo;
import dev.reservoir.remote.adapter.catalog.PrimaryKeyInfo;
import dev.reservoir.remote.adapter.catalog.TableInfo;
import dev.reservoir.remote.model.ConnectionState;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.UserMapping;
import java.net.ServerSocket;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What every adapter does the same way, whatever the database is. Each real server runs it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AdapterContract {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int NUMBERS = 10_000;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "contract");
        thread.setDaemon(true);
        return thread;
    });

    ContractServer server;
    DatabaseAdapter adapter;
    AdapterSession session;

    /** Starts the server, or skips the tests. */
    abstract ContractServer startServer() throws Exception;

    @BeforeAll
    void start() throws Exception {
        server = startServer();
        adapter = Adapters.installed().find(server.definition().build());
        try (AdapterSession first = connect()) {
            first.update("CREATE TABLE parent (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40))");
            first.update("CREATE TABLE child (id INTEGER NOT NULL PRIMARY KEY, parent_id INTEGER NOT NULL,"
                    + " CONSTRAINT child_of_parent FOREIGN KEY (parent_id) REFERENCES parent (id))");
            first.update("CREATE INDEX parent_by_name ON parent (name)");
            first.update("CREATE TABLE numbers (n INTEGER NOT NULL PRIMARY KEY)");
            first.update("INSERT INTO parent (id, name) VALUES (1, 'one')");
            first.update("INSERT INTO parent (id, name) VALUES (2, 'two')");
            first.begin();
            try (RemoteStatement insert = first.prepare("INSERT INTO numbers (n) VALUES (?)")) {
                for (int i = 1; i <= NUMBERS; i++) {
                    insert.update(i);
                }
            }
            first.commit();
        }
    }

    @BeforeEach
    void open() throws RemoteException {
        session = connect();
    }

    @AfterEach
    void close() {
        session.close();
        assertThat(session.state()).isEqualTo(ConnectionState.DISCONNECTED);
    }

    private AdapterSession connect() throws RemoteException {
        return adapter.connect(server.definition().build(), server.admin(), PATIENCE);
    }

    static RemoteException fails(RemoteErrorCode code, ThrowingCallable call) {
        RemoteException error = catchThrowableOfType(RemoteException.class, call);
        assertThat((Throwable) error).as("the call should fail with %s", code).isNotNull();
        assertThat(error.code())
                .as("%s, SQLState %s, code %s", error, error.getSQLState(), error.getErrorCode())
                .isEqualTo(code);
        return error;
    }

    private long count(String from) throws RemoteException {
        Object value = session.query("SELECT COUNT(*) FROM " + from).single();
        return ((Number) value).longValue();
    }

    // Connect

    @Test
    void connectsAndAnswersTheHealthQueryAndAPing() throws Exception {
        session.ping(PATIENCE);
        assertThat(session.query(adapter.healthQuery()).single().toString()).isEqualTo("1");
        assertThat(session.state()).isEqualTo(ConnectionState.CONNECTED);
        SessionInfo info = session.info();
        assertThat(info.version()).isNotEmpty();
        assertThat(info.driver()).isNotEmpty();
        assertThat(session.stats().queries()).isEqualTo(1);
        assertThat(session.stats().rows()).isEqualTo(1);
        assertThat(session.stats().queryNanos()).isPositive();
    }

    @Test
    void aWrongPasswordIsAnAuthenticationErrorWithoutThePassword() throws Exception {
        UserMapping wrong = server.mapping(server.user(), "this-is-wrong");
        RemoteException error = fails(
                RemoteErrorCode.AUTHENTICATION_FAILED,
                () -> adapter.connect(server.definition().build(), wrong, PATIENCE));
        assertThat(error.isRetryable()).isFalse();
        for (Throwable t = error; t != null; t = t.getCause()) {
            assertThat(String.valueOf(t.getMessage())).doesNotContain("this-is-wrong");
        }
    }

    @Test
    void anUnknownDatabaseIsAnObjectThatWasNotFound() throws Exception {
        var elsewhere = server.definition().database(server.unknownDatabase()).build();
        RemoteException error =
                fails(RemoteErrorCode.OBJECT_NOT_FOUND, () -> adapter.connect(elsewhere, server.admin(), PATIENCE));
        assertThat(error.getSQLState()).isNotNull();
    }

    @Test
    void nobodyAtThePortIsAFailedConnect() throws Exception {
        int unused;
        try (ServerSocket socket = new ServerSocket(0)) {
            unused = socket.getLocalPort();
        }
        var nobody = server.definition().port(unused).build();
        RemoteException error =
                fails(RemoteErrorCode.CONNECTION_FAILED, () -> adapter.connect(nobody, server.admin(), PATIENCE));
        assertThat(error.isRetryable()).isTrue();
        assertThat((Throwable) error).hasMessageContaining("contract").hasMessageContaining(":" + unused);
    }

    @Test
    void aServerThatDoesNotAnswerCostsNoMoreThanTheTimeout() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            var definition = server.definition().port(silent.getLocalPort()).build();
            long began = System.nanoTime();
            assertThatThrownBy(() -> adapter.connect(definition, server.admin(), Duration.ofSeconds(1)))
                    .isInstanceOf(RemoteException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(8));
        }
    }

    // Errors

    @Test
    void errorsOfStatementsHaveTheirCodes() throws Exception {
        fails(RemoteErrorCode.SYNTAX_ERROR, () -> session.query("SELEC 1"));
        fails(RemoteErrorCode.OBJECT_NOT_FOUND, () -> session.query("SELECT * FROM missing_table"));
        fails(RemoteErrorCode.OBJECT_NOT_FOUND, () -> session.query("SELECT missing_column FROM parent"));
        RemoteException duplicate = fails(
                RemoteErrorCode.CONSTRAINT_VIOLATION,
                () -> session.update("INSERT INTO parent (id, name) VALUES (1, 'again')"));
        assertThat(duplicate.getSQLState()).startsWith("23");
        fails(
                RemoteErrorCode.CONSTRAINT_VIOLATION,
                () -> session.update("INSERT INTO child (id, parent_id) VALUES (1, 999)"));
        fails(
                RemoteErrorCode.CONSTRAINT_VIOLATION,
                () -> session.update("INSERT INTO parent (id, name) VALUES (NULL, 'null')"));
        assertThat(session.stats().errors()).isEqualTo(6);
        assertThat(session.state()).isEqualTo(ConnectionState.CONNECTED);
        session.ping(PATIENCE);
    }

    @Test
    void aUserWithoutPermissionIsToldSo() throws Exception {
        try (AdapterSession limited = adapter.connect(server.definition().build(), server.limited(), PATIENCE)) {
            RemoteException error =
                    fails(RemoteErrorCode.PERMISSION_DENIED, () -> limited.query("SELECT * FROM parent"));
            assertThat(error.isRetryable()).isFalse();
        }
    }

    @Test
    void aKilledConnectionIsDead() throws Exception {
        Object id = session.query(server.sessionId()).single();
        try (AdapterSession other = connect()) {
            other.update(server.kill().formatted(id));
        }
        assertThatThrownBy(() -> {
                    // The server may need a moment, and the first answer may still come.
                    long deadline = System.nanoTime() + PATIENCE.toNanos();
                    while (System.nanoTime() < deadline) {
                        session.query(adapter.healthQuery());
                    }
                })
                .isInstanceOf(RemoteException.class);
        assertThat(session.state()).isEqualTo(ConnectionState.FAILED);
        fails(RemoteErrorCode.NETWORK_ERROR, () -> session.query(adapter.healthQuery()));
    }

    // Statements

    @Test
    void parametersAndPreparedStatementsWork() throws Exception {
        assertThat(session.query("SELECT name FROM parent WHERE id = ?", 2).single())
                .isEqualTo("two");
        assertThat(session.update("UPDATE parent SET name = ? WHERE id = ?", "two", 2))
                .isEqualTo(1);
        try (RemoteStatement statement = session.prepare("SELECT COUNT(*) FROM numbers WHERE n <= ?")) {
            assertThat(((Number) statement.query(10).single()).intValue()).isEqualTo(10);
            assertThat(((Number) statement.query(20).single()).intValue()).isEqualTo(20);
        }
    }

    @Test
    void aQueryThatTakesTooLongEndsAndTheConnectionSurvives() throws Exception {
        session.setQueryTimeout(Duration.ofMillis(300));
        long began = System.nanoTime();
        RemoteException error = fails(RemoteErrorCode.TIMEOUT, () -> session.query(server.slow()));
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(Duration.ofMillis(250), Duration.ofSeconds(5));
        assertThat((Throwable) error).hasMessageContaining("query_timeout").hasMessageContaining("300 ms");
        session.ping(PATIENCE);
        assertThat(session.query(adapter.healthQuery()).rows()).hasSize(1);
        session.finish();
        assertThat(count("parent")).isEqualTo(2);
    }

    @Test
    void theQueryTimeoutOfTheServerHoldsForEveryStatement() throws Exception {
        PoolConfiguration pool =
                PoolConfiguration.builder().queryTimeout(Duration.ofMillis(300)).build();
        try (AdapterSession impatient =
                adapter.connect(server.definition().pool(pool).build(), server.admin(), PATIENCE)) {
            fails(RemoteErrorCode.TIMEOUT, () -> impatient.query(server.slow()));
            fails(RemoteErrorCode.TIMEOUT, () -> impatient.query(server.slow()));
        }
    }

    @Test
    void anotherThreadCancelsARunningQuery() throws Exception {
        assertThat(session.cancel()).as("nothing runs").isFalse();
        Future<RemoteException> running =
                threads.submit(() -> fails(RemoteErrorCode.TIMEOUT, () -> session.query(server.slow())));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (session.state() != ConnectionState.EXECUTING && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        // A cancel that arrives before the statement has no effect, as with any client of these databases.
        boolean cancelled = false;
        while (!running.isDone() && System.nanoTime() < deadline) {
            Thread.sleep(200);
            cancelled |= session.cancel();
        }
        assertThat(cancelled).isTrue();
        assertThat((Throwable) running.get()).hasMessageContaining("cancelled");
        session.ping(PATIENCE);
        assertThat(count("parent")).isEqualTo(2);
    }

    @Test
    void aCursorReadsInBatches() throws Exception {
        try (RemoteCursor cursor = session.openCursor("SELECT n FROM numbers ORDER BY n", 1_000)) {
            assertThat(cursor.columns()).containsExactly(server.name("n"));
            fails(RemoteErrorCode.CURSOR_ERROR, () -> session.openCursor("SELECT n FROM numbers", 10));
            int rows = 0;
            for (List<List<Object>> batch = cursor.fetch(); !batch.isEmpty(); batch = cursor.fetch()) {
                assertThat(batch).hasSizeLessThanOrEqualTo(1_000);
                assertThat(((Number) batch.get(0).get(0)).intValue()).isEqualTo(rows + 1);
                rows += batch.size();
            }
            assertThat(rows).isEqualTo(NUMBERS);
        }
        assertThat(session.transactionState()).isEqualTo(TransactionState.NONE);
        try (RemoteCursor early = session.openCursor("SELECT n FROM numbers WHERE n > ?", 100, 10)) {
            assertThat(early.fetch()).hasSize(100);
        }
        assertThat(count("numbers")).isEqualTo(NUMBERS);
        fails(RemoteErrorCode.INVALID_OPTION, () -> session.openCursor("SELECT n FROM numbers", 100_001));
    }

    /** The pool rolls back and sets auto-commit before it resets a session. */
    @Test
    void aCursorThatIsLeftOpenLosesNoUpdateAndNoSession() throws Exception {
        String insert = "INSERT INTO parent (id, name) VALUES (20, 'twenty')";
        long before = count("parent");
        assertThat(session.openCursor("SELECT n FROM numbers", 10).fetch()).hasSize(10);
        boolean ownsTransaction = session.transactionState() != TransactionState.NONE;
        if (ownsTransaction) {
            fails(RemoteErrorCode.CURSOR_ERROR, () -> session.update(insert));
        } else {
            session.update(insert);
        }
        Connection connection = session.connection();
        if (!connection.getAutoCommit()) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        session.finish();
        assertThat(session.state()).isEqualTo(ConnectionState.CONNECTED);
        assertThat(count("parent")).isEqualTo(before + (ownsTransaction ? 0 : 1));
        session.update("DELETE FROM parent WHERE id = 20");
    }

    @Test
    void inATransactionUpdatesAreAllowedWhileACursorIsOpen() throws Exception {
        long before = count("parent");
        session.begin();
        try (RemoteCursor cursor = session.openCursor("SELECT n FROM numbers", 10)) {
            assertThat(cursor.fetch()).hasSize(10);
            session.update("INSERT INTO parent (id, name) VALUES (21, 'twenty-one')");
        }
        session.commit();
        assertThat(count("parent")).isEqualTo(before + 1);
        session.update("DELETE FROM parent WHERE id = 21");
    }

    // Transactions

    @Test
    void savepointsAndRollbacksUndoWhatTheyShould() throws Exception {
        session.begin();
        assertThat(session.state()).isEqualTo(ConnectionState.IN_TRANSACTION);
        assertThat(session.state().isOpen()).isTrue();
        session.update("INSERT INTO parent (id, name) VALUES (10, 'ten')");
        session.savepoint("s1");
        session.update("INSERT INTO parent (id, name) VALUES (11, 'eleven')");
        session.rollbackTo("s1");
        session.release("s1");
        assertThat(count("parent")).isEqualTo(3);
        fails(RemoteErrorCode.OBJECT_NOT_FOUND, () -> session.rollbackTo("s1"));
        session.rollback();
        assertThat(session.transactionState()).isEqualTo(TransactionState.NONE);
        assertThat(count("parent")).isEqualTo(2);
        session.begin();
        session.update("DELETE FROM numbers WHERE n = 1");
        session.commit();
        assertThat(session.state()).isEqualTo(ConnectionState.CONNECTED);
        session.update("INSERT INTO numbers (n) VALUES (1)");
    }

    @Test
    void aTransactionWithAnErrorIsRolledBackOnReleaseAndTheConnectionLives() throws Exception {
        session.begin();
        session.update("INSERT INTO parent (id, name) VALUES (20, 'twenty')");
        assertThatThrownBy(() -> session.query("SELECT * FROM missing_table")).isInstanceOf(RemoteException.class);
        assertThat(session.state()).isEqualTo(ConnectionState.IN_TRANSACTION);
        session.finish();
        assertThat(session.state()).isEqualTo(ConnectionState.CONNECTED);
        assertThat(count("parent")).isEqualTo(2);
    }

    @Test
    void twoTransactionsThatWaitForEachOtherEndWithADeadlock() throws Exception {
        try (AdapterSession other = connect()) {
            session.begin();
            other.begin();
            session.update("UPDATE parent SET name = 'one' WHERE id = 1");
            other.update("UPDATE parent SET name = 'two' WHERE id = 2");
            Callable<RemoteException> second = () -> {
                RemoteException error = catchThrowableOfType(
                        RemoteException.class, () -> other.update("UPDATE parent SET name = 'one' WHERE id = 1"));
                other.finish();
                return error;
            };
            Future<RemoteException> waiting = threads.submit(second);
            RemoteException first = catchThrowableOfType(
                    RemoteException.class, () -> session.update("UPDATE parent SET name = 'two' WHERE id = 2"));
            session.finish();
            RemoteException ofOther = waiting.get();
            RemoteException loser = first == null ? ofOther : first;
            assertThat((Throwable) loser).isNotNull();
            assertThat(loser.code()).as("%s", loser).isEqualTo(RemoteErrorCode.DEADLOCK);
            assertThat(loser.isRetryable()).isTrue();
        }
    }

    // Reset

    @Test
    void aResetLeavesNothingToTheNextUserOrSaysSo() throws Exception {
        String before = String.valueOf(session.query(server.readSetting()).single());
        assertThat(session.reset()).isEqualTo(ResetResult.CLEAN);
        session.update(server.setting());
        assertThat(String.valueOf(session.query(server.readSetting()).single())).isNotEqualTo(before);
        if (session.capabilities().contains(Capability.RESET)) {
            assertThat(session.reset()).isEqualTo(ResetResult.CLEAN);
            assertThat(String.valueOf(session.query(server.readSetting()).single()))
                    .isEqualTo(before);
        } else {
            assertThat(session.reset()).isIn(ResetResult.REPLACE, ResetResult.CLEAN);
        }
        session.ping(PATIENCE);
    }

    @Test
    void aResetRemovesTemporaryTables() throws Exception {
        for (String sql : server.temporaryTable().split(";", -1)) {
            session.update(sql);
        }
        assertThat(count("leftover")).isEqualTo(1);
        if (session.reset() == ResetResult.CLEAN) {
            fails(RemoteErrorCode.OBJECT_NOT_FOUND, () -> session.query("SELECT COUNT(*) FROM leftover"));
        } else {
            assertThat(session.capabilities()).doesNotContain(Capability.RESET);
        }
    }

    @Test
    void aResetRestoresTheSettingsOfJdbcAndTheQueryTimeout() throws Exception {
        Connection connection = session.connection();
        int isolation = connection.getTransactionIsolation();
        connection.setReadOnly(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        connection.setAutoCommit(false);
        session.setQueryTimeout(Duration.ofMillis(1));
        session.reset();
        assertThat(session.connection()).isSameAs(connection);
        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(connection.isReadOnly()).isFalse();
        assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
        assertThat(count("parent")).isEqualTo(2);
    }

    // Catalog

    @Test
    void tablesColumnsIndexesAndKeysAreListed() throws Exception {
        String child = server.name("child");
        assertThat(session.tables("")).extracting(TableInfo::name).contains(server.name("parent"), child);
        assertThat(session.columns("", child))
                .extracting(ColumnInfo::name)
                .containsExactly(server.name("id"), server.name("parent_id"));
        assertThat(session.columns("", child)).noneMatch(ColumnInfo::nullable);
        assertThat(session.indexes("", server.name("parent")))
                .filteredOn(index -> index.name().equals(server.name("parent_by_name")))
                .singleElement()
                .satisfies(index -> {
                    assertThat(index.unique()).isFalse();
                    assertThat(index.columns()).containsExactly(server.name("name"));
                });
        assertThat(session.indexes("", server.name("parent"))).anyMatch(IndexInfo::unique);
        assertThat(session.primaryKey("", child).map(PrimaryKeyInfo::columns)).contains(List.of(server.name("id")));
        assertThat(session.foreignKeys("", child)).singleElement().satisfies(key -> {
            assertThat(key.name()).isEqualTo(server.name("child_of_parent"));
            assertThat(key.columns()).containsExactly(server.name("parent_id"));
            assertThat(key.referencedTable()).isEqualTo(server.name("parent"));
            assertThat(key.referencedColumns()).containsExactly(server.name("id"));
        });
        if (session.capabilities().contains(Capability.SCHEMAS)) {
            assertThat(session.schemas()).isNotEmpty();
        }
    }
}
