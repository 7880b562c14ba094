package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.wrap.PhysicalConnection;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The search_path of a PostgreSQL session is restored, no matter how a caller used setSchema. */
class SearchPathTest {
    private final TestConnectionOwner owner = new TestConnectionOwner();
    private Connection raw;
    private PhysicalConnection physical;

    @BeforeAll
    static void makeSchemas() throws SQLException {
        try (Connection connection = TestPostgres.open();
                Statement s = connection.createStatement()) {
            for (String schema : List.of("sp_app", "sp_extensions", "sp_tenant", "\"Sp O'Brien, \"\"x\"\" \\\"")) {
                s.execute("create schema if not exists " + schema);
            }
            s.execute("create table if not exists sp_app.sp_t (a int)");
            s.execute("create table if not exists sp_tenant.sp_t (a text, b text)");
        }
    }

    @BeforeEach
    void open() throws SQLException {
        raw = DriverManager.getConnection(TestPostgres.url(RecordingSocketFactory.PARAMETER + "&prepareThreshold=1"));
    }

    @AfterEach
    void close() throws SQLException {
        raw.close();
    }

    private void startWith(String searchPath) throws SQLException {
        try (PreparedStatement s = raw.prepareStatement("select set_config('search_path', ?, false)")) {
            s.setString(1, searchPath);
            s.execute();
        }
        physical = new PhysicalConnection(raw);
    }

    private interface Use {
        void of(Connection connection) throws SQLException;
    }

    private void use(Use use) throws SQLException {
        WrappedConnection inUse = owner.acquire(physical);
        use.of(inUse);
        inUse.close();
        assertThat(owner.returns).endsWith(true);
    }

    private String searchPath() throws SQLException {
        try (Statement s = raw.createStatement();
                ResultSet r = s.executeQuery("show search_path")) {
            assertThat(r.next()).isTrue();
            return r.getString(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sp_app, sp_extensions",
                "\"$user\", public",
                "public",
                "\"\"",
                "no_such_schema, sp_app",
                "\"Sp O'Brien, \"\"x\"\" \\\", sp_app"
            })
    void itIsRestoredToTheLetter(String before) throws SQLException {
        startWith(before);
        for (String schema : List.of("sp_app", "sp_tenant", "public")) {
            use(c -> c.setSchema(schema));
            assertThat(searchPath()).as(schema).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sp_app,sp_extensions | sp_app, sp_extensions",
                " SP_App ,  sp_extensions | sp_app, sp_extensions",
                "'' | \"\""
            })
    void aTextThatPostgresDidNotWriteItselfComesBackWithTheSameMeaning(String before, String after)
            throws SQLException {
        startWith(before);

        use(c -> c.setSchema("sp_tenant"));

        assertThat(searchPath()).isEqualTo(after);
    }

    @Test
    void itIsRestoredAfterACommit() throws SQLException {
        startWith("sp_app, sp_extensions");

        use(c -> {
            c.setAutoCommit(false);
            c.setSchema("sp_tenant");
            c.commit();
        });

        assertThat(searchPath()).isEqualTo("sp_app, sp_extensions");
    }

    @Test
    void itIsRestoredAfterARollback() throws SQLException {
        startWith("sp_app, sp_extensions");

        use(c -> {
            c.setAutoCommit(false);
            c.setSchema("sp_tenant");
            c.commit();
            c.setSchema("sp_app");
            c.rollback();
        });

        assertThat(searchPath()).isEqualTo("sp_app, sp_extensions");
    }

    @Test
    void itIsRestoredIfTheCallerLeavesTheTransactionOpenOrBroken() throws SQLException {
        startWith("sp_app, sp_extensions");

        use(c -> {
            c.setAutoCommit(false);
            c.setSchema("sp_tenant");
        });
        assertThat(searchPath()).isEqualTo("sp_app, sp_extensions");

        use(c -> {
            c.setSchema("sp_tenant");
            c.setAutoCommit(false);
            assertThatThrownBy(() -> c.createStatement().execute("nonsense")).isInstanceOf(SQLException.class);
        });
        assertThat(searchPath()).isEqualTo("sp_app, sp_extensions");
    }

    @Test
    void itIsRestoredOnAConnectionThatWasOpenedWithoutAutoCommit() throws SQLException {
        startWith("sp_app, sp_extensions");
        raw.setAutoCommit(false);
        physical = new PhysicalConnection(raw);

        use(c -> {
            c.setSchema("sp_tenant");
            c.commit();
        });
        raw.rollback();

        assertThat(searchPath()).isEqualTo("sp_app, sp_extensions");
    }

    @Test
    void theDriverForgetsStatementsThatItPreparedForTheOtherSchema() throws SQLException {
        startWith("sp_app, sp_extensions");
        Use query = c -> {
            try (PreparedStatement s = c.prepareStatement("select * from sp_t")) {
                s.executeQuery().close();
            }
        };

        use(query);
        use(c -> {
            c.setSchema("sp_tenant");
            query.of(c);
        });
        use(query);
    }

    @Test
    void theServerIsAskedOnceInALifeAndOnlyIfTheSchemaIsSet() throws SQLException {
        startWith("sp_app, sp_extensions");
        long before = RecordingSocketFactory.writes();
        use(c -> c.createStatement().execute("select 1"));
        assertThat(RecordingSocketFactory.writes() - before).isEqualTo(1);

        use(c -> c.setSchema("sp_tenant"));
        before = RecordingSocketFactory.writes();
        use(c -> c.setSchema("sp_tenant"));

        assertThat(RecordingSocketFactory.writes() - before)
                .as("set and restored")
                .isEqualTo(2);
    }

    @Test
    void theSchemaThatItHadAndNoOtherIsNotSentAgain() throws SQLException {
        startWith("sp_app");
        long before = RecordingSocketFactory.writes();

        use(c -> c.setSchema("sp_app"));

        assertThat(RecordingSocketFactory.writes() - before).as("read and set").isEqualTo(2);
    }

    @Test
    void aDatabaseWithoutASearchPathIsAskedForItsSchema() throws SQLException {
        Recorder recorder = new Recorder();
        recorder.answers.put("getDatabaseProductName", "Some Other");
        recorder.answers.put("getSchema", "before");
        physical = new PhysicalConnection(recorder.idle(Connection.class));

        use(c -> c.setSchema("other"));

        assertThat(recorder.calls.stream()
                        .filter(call -> call.method().getName().equals("setSchema"))
                        .map(Recorder.Call::arguments))
                .containsExactly(List.of("other"), List.of("before"));
        assertThat(recorder.names()).doesNotContain("createStatement");
    }
}
