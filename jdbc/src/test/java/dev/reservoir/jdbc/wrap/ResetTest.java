package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.RecordingSocketFactory;
import dev.reservoir.jdbc.TestConnectionOwner;
import dev.reservoir.jdbc.TestPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/**
 * After release a connection is as it was before, and the server got no other statements. Runs on a real PostgreSQL.
 */
class ResetTest {
    private final TestConnectionOwner owner = new TestConnectionOwner();
    private Connection raw;
    private PhysicalConnection physical;

    @BeforeEach
    void open() throws SQLException {
        raw = DriverManager.getConnection(TestPostgres.url(RecordingSocketFactory.PARAMETER));
        physical = new PhysicalConnection(raw);
        try (Statement s = raw.createStatement()) {
            s.execute("create table if not exists reset_test (id int)");
            s.execute("truncate reset_test");
        }
    }

    @AfterEach
    void close() throws SQLException {
        raw.close();
    }

    private interface Use {
        void of(Connection connection) throws SQLException;
    }

    /** Returns how often data is sent to the server when the checkout ends. */
    private long sentOnReturnAfter(Use use) throws SQLException {
        WrappedConnection inUse = owner.acquire(physical);
        use.of(inUse);
        long before = RecordingSocketFactory.writes();
        inUse.close();
        assertThat(owner.returns).endsWith(true);
        return RecordingSocketFactory.writes() - before;
    }

    private static void insert(Connection connection) throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.execute("insert into reset_test values (1)");
        }
    }

    private String ask(String query) throws SQLException {
        try (Statement s = raw.createStatement();
                ResultSet r = s.executeQuery(query)) {
            assertThat(r.next()).isTrue();
            return r.getString(1);
        }
    }

    @Test
    void takingOverAConnectionSendsNothing() throws SQLException {
        long before = RecordingSocketFactory.writes();
        PhysicalConnection another = new PhysicalConnection(raw);

        assertThat(another.isUntouched()).isTrue();
        assertThat(RecordingSocketFactory.writes()).isEqualTo(before);
    }

    @Test
    void aCheckoutThatDidNothingSendsNothing() throws SQLException {
        assertThat(sentOnReturnAfter(c -> {})).isZero();
    }

    @Test
    void statementsInAutoCommitSendNothingOnReturn() throws SQLException {
        assertThat(sentOnReturnAfter(ResetTest::insert)).isZero();
        assertThat(ask("select count(*) from reset_test")).isEqualTo("1");
    }

    @Test
    void workThatWasNotCommittedIsRolledBack() throws SQLException {
        long sent = sentOnReturnAfter(c -> {
            c.setAutoCommit(false);
            insert(c);
        });

        assertThat(sent).isEqualTo(1);
        assertThat(raw.getAutoCommit()).isTrue();
        assertThat(ask("select count(*) from reset_test")).isEqualTo("0");
    }

    @Test
    void aFailedTransactionIsRolledBack() throws SQLException {
        long sent = sentOnReturnAfter(c -> {
            c.setAutoCommit(false);
            insert(c);
            assertThatThrownBy(() -> c.createStatement().execute("nonsense")).isInstanceOf(SQLException.class);
        });

        assertThat(sent).isEqualTo(1);
        assertThat(ask("select count(*) from reset_test")).isEqualTo("0");
    }

    @Test
    void workThatWasCommittedIsNotRolledBack() throws SQLException {
        Recorder recorder = new Recorder();
        physical = new PhysicalConnection(recorder.of(raw));

        long sent = sentOnReturnAfter(c -> {
            c.setAutoCommit(false);
            insert(c);
            c.commit();
        });

        assertThat(sent).isZero();
        assertThat(recorder.names()).doesNotContain("rollback").endsWith("commit", "setAutoCommit", "clearWarnings");
        assertThat(ask("select count(*) from reset_test")).isEqualTo("1");
    }

    @Test
    void workAfterACommitIsRolledBack() throws SQLException {
        sentOnReturnAfter(c -> {
            c.setAutoCommit(false);
            try (Statement s = c.createStatement()) {
                s.execute("insert into reset_test values (1)");
                c.commit();
                s.execute("insert into reset_test values (2)");
            }
        });

        assertThat(ask("select count(*) from reset_test")).isEqualTo("1");
    }

    @Test
    void switchingAutoCommitOnEndsTheTransaction() throws SQLException {
        Recorder recorder = new Recorder();
        physical = new PhysicalConnection(recorder.of(raw));

        sentOnReturnAfter(c -> {
            c.setAutoCommit(false);
            insert(c);
            c.setAutoCommit(true);
        });

        assertThat(recorder.names()).doesNotContain("rollback").endsWith("setAutoCommit", "clearWarnings");
        assertThat(ask("select count(*) from reset_test")).isEqualTo("1");
    }

    @Test
    void isolationIsRestored() throws SQLException {
        assertThat(sentOnReturnAfter(c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE)))
                .isEqualTo(1);

        assertThat(ask("show transaction_isolation")).isEqualTo("read committed");
    }

    @Test
    void isolationCanBeSetAfterAutoCommitIsOffAndIsRestored() throws SQLException {
        sentOnReturnAfter(c -> {
            c.setAutoCommit(false);
            c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            insert(c);
        });

        assertThat(ask("show transaction_isolation")).isEqualTo("read committed");
        assertThat(ask("select count(*) from reset_test")).isEqualTo("0");
    }

    @Test
    void schemaIsRestored() throws SQLException {
        assertThat(sentOnReturnAfter(c -> c.setSchema("pg_catalog"))).isEqualTo(1);

        assertThat(raw.getSchema()).isEqualTo("public");
    }

    @Test
    void clientInfoIsRestored() throws SQLException {
        String before = raw.getClientInfo("ApplicationName");

        assertThat(sentOnReturnAfter(c -> {
                    c.setClientInfo("ApplicationName", "one");
                    c.setClientInfo("ApplicationName", "two");
                }))
                .isEqualTo(1);
        assertThat(ask("show application_name")).isEqualTo(before);

        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "three");
        assertThat(sentOnReturnAfter(c -> c.setClientInfo(properties))).isEqualTo(1);
        assertThat(ask("show application_name")).isEqualTo(before);
        assertThat(sentOnReturnAfter(c -> {})).isZero();
    }

    @Test
    void whatTheDriverKeepsItselfIsRestoredWithoutTheServer() throws SQLException {
        long sent = sentOnReturnAfter(c -> {
            c.setReadOnly(true);
            c.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT);
            c.setNetworkTimeout(Runnable::run, 12_345);
            c.setTypeMap(new HashMap<>(java.util.Map.of("x", String.class)));
            c.setCatalog("other");
            c.setClientInfo("ClientHostname", "no such property, which is a warning");
            assertThat((Throwable) c.getWarnings()).isNotNull();
        });

        assertThat(raw.isReadOnly()).isFalse();
        assertThat(raw.getHoldability()).isEqualTo(ResultSet.CLOSE_CURSORS_AT_COMMIT);
        assertThat(raw.getNetworkTimeout()).isZero();
        assertThat(raw.getTypeMap()).isEmpty();
        assertThat((Throwable) raw.getWarnings()).isNull();
        assertThat(sent).isZero();
    }

    @Test
    void aTypeMapChangedInPlaceIsRestored() throws SQLException {
        sentOnReturnAfter(c -> c.getTypeMap().put("x", String.class));

        assertThat(raw.getTypeMap()).isEmpty();
    }

    @Test
    void aSettingSetBackByTheCallerIsNotSentAgain() throws SQLException {
        long sent = sentOnReturnAfter(c -> {
            c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            c.setReadOnly(true);
            c.setReadOnly(false);
        });

        assertThat(sent).isZero();
    }

    @Test
    void aSettingSetBackInATransactionThatIsRolledBackIsRestored() throws SQLException {
        sentOnReturnAfter(c -> {
            c.setAutoCommit(false);
            c.setSchema("pg_catalog");
            c.commit();
            c.setSchema("public");
        });

        assertThat(raw.getSchema()).isEqualTo("public");
    }

    @Test
    void aSettingThatWasRefusedIsNotSentOnReturn() throws SQLException {
        long sent = sentOnReturnAfter(c -> {
            c.setAutoCommit(false);
            insert(c);
            assertThatThrownBy(() -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))
                    .isInstanceOf(SQLException.class);
            c.commit();
        });

        assertThat(sent).isZero();
    }

    @Test
    void aDefaultIsReadOnceInALifeAndOnlyWhenItIsAboutToChange() throws SQLException {
        Recorder recorder = new Recorder();
        physical = new PhysicalConnection(recorder.of(raw));
        assertThat(recorder.names()).containsExactly("getAutoCommit");
        recorder.clear();

        sentOnReturnAfter(c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
        assertThat(recorder.names())
                .containsExactly(
                        "getTransactionIsolation",
                        "setTransactionIsolation",
                        "setTransactionIsolation",
                        "clearWarnings");

        recorder.clear();
        sentOnReturnAfter(c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
        assertThat(recorder.names())
                .containsExactly("setTransactionIsolation", "setTransactionIsolation", "clearWarnings");
    }

    @Test
    void aConnectionOpenedWithoutAutoCommitStaysSo() throws SQLException {
        raw.setAutoCommit(false);
        physical = new PhysicalConnection(raw);

        sentOnReturnAfter(ResetTest::insert);
        assertThat(raw.getAutoCommit()).isFalse();
        assertThat(ask("select count(*) from reset_test")).isEqualTo("0");
        raw.rollback();

        sentOnReturnAfter(c -> {
            c.setAutoCommit(true);
            insert(c);
            c.setSchema("pg_catalog");
        });
        assertThat(raw.getAutoCommit()).isFalse();
        assertThat(ask("select count(*) from reset_test")).isEqualTo("1");
        raw.rollback();
        assertThat(raw.getSchema()).isEqualTo("public");
    }

    @Test
    void workDoneThroughTheDriversOwnObjectsIsRolledBack() throws SQLException {
        sentOnReturnAfter(c -> {
            Connection driversOwn = (Connection) c.unwrap(PGConnection.class);
            driversOwn.setAutoCommit(false);
            insert(driversOwn);
        });

        assertThat(raw.getAutoCommit()).isTrue();
        assertThat(ask("select count(*) from reset_test")).isEqualTo("0");
    }

    @Test
    void statementsAndResultSetsLeftOpenAreClosed() throws SQLException {
        Recorder recorder = new Recorder();
        physical = new PhysicalConnection(recorder.of(raw));
        WrappedConnection inUse = owner.acquire(physical);
        for (int i = 0; i < 1_000; i++) {
            inUse.createStatement();
        }
        Statement closed = inUse.createStatement();
        closed.close();
        ResultSet tables = inUse.getMetaData().getTables(null, null, "reset_test", null);
        recorder.clear();

        inUse.close();

        assertThat(recorder.names()).filteredOn("close"::equals).hasSize(1_001);
        assertThat(tables.isClosed()).isTrue();
        assertThat(physical.open.isEmpty()).isTrue();
        assertThat(owner.returns).containsExactly(true);
    }

    @Test
    void aShardingKeyCannotBeRestoredSoTheConnectionIsGivenUp() throws SQLException {
        WrappedConnection inUse = owner.acquire(new Recorder().idle(Connection.class));
        inUse.setShardingKey(null);

        inUse.close();

        assertThat(owner.returns).containsExactly(false);
        assertThat((Throwable) inUse.physical.whyBad()).hasMessageContaining("sharding key");
    }

    @Test
    void aDriverThatFailsDuringTheResetMakesTheConnectionBad() throws SQLException {
        Recorder recorder = new Recorder();
        WrappedConnection inUse = owner.acquire(recorder.idle(Connection.class));
        inUse.createStatement();
        inUse.createStatement();
        recorder.failure = new IllegalStateException("bug in the driver");
        recorder.clear();

        inUse.close();

        assertThat(owner.returns).containsExactly(false);
        assertThat((Throwable) inUse.physical.whyBad()).hasRootCause(recorder.failure);
        assertThat(recorder.names()).containsExactly("close");
        assertThat(owner.brokenBy).isEmpty();
    }
}
