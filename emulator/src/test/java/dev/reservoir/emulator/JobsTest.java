package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements with ASYNC start a job. Clients can list jobs and wait for them. The version is DSQL's. */
class JobsTest {
    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

    private static Connection connect(String mode) throws SQLException {
        return Client.connect(dsql.emulator(), mode);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void anIndexIsAJobThatIsDone(String mode) throws SQLException {
        String table = mode.isEmpty() ? "built" : "built_simply";
        try (Connection connection = connect(mode)) {
            run(connection, "create table " + table + " (id int primary key, name text, at date)");
            List<String> jobs = new ArrayList<>();
            for (String sql : List.of(
                    "create index async on " + table + " (name)",
                    "CREATE UNIQUE INDEX ASYNC " + table + "_once ON " + table + " (name, at) NULLS NOT DISTINCT",
                    "create index async if not exists " + table + "_some on " + table
                            + " (lower(name)) where name <> 'it''s'",
                    "create index async on public." + table + " (at) include (name)")) {
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery(sql)) {
                    assertThat(rows.getMetaData().getColumnName(1)).isEqualTo("job_id");
                    assertThat(rows.next()).isTrue();
                    jobs.add(rows.getString(1));
                    assertThat(rows.next()).isFalse();
                }
            }
            assertThat(jobs)
                    .doesNotHaveDuplicates()
                    .allSatisfy(job -> assertThat(UUID.fromString(job)).isNotNull());
            assertThat(value(connection, "select count(*) from pg_indexes where tablename = '" + table + "'"))
                    .isEqualTo("5");
            String job = jobs.get(0);
            assertThat(value(connection, "select status from sys.jobs where job_id = '" + job + "'"))
                    .isEqualTo("completed");
            run(connection, "call sys.wait_for_job('" + job + "')");
            assertRefused(
                    () -> run(connection, "create index async " + table + "_once on " + table + " (at)"),
                    "42P07",
                    "already exists");
            assertRefused(() -> run(connection, "create index async on no_such_table (at)"), "42P01", "no_such_table");
        }
    }

    @Test
    void jobsHaveTheColumnsOfDsql() throws SQLException {
        try (Connection connection = connect("");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select * from sys.jobs")) {
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                columns.add(rows.getMetaData().getColumnName(i));
            }
            assertThat(columns)
                    .containsExactly(
                            "job_id",
                            "status",
                            "details",
                            "job_type",
                            "class_id",
                            "object_id",
                            "object_name",
                            "start_time",
                            "update_time");
        }
    }

    @Test
    void aConstraintIsValidatedByAJobAndARoleMayDoSoOnItsOwnTables() throws SQLException {
        try (Connection admin = connect("");
                Connection reader = Client.as(dsql.emulator(), "reader", "", "")) {
            run(admin, "create schema own");
            run(admin, "grant all on schema own to reader");
            run(reader, "create table own.checked (n int)");
            run(reader, "alter table own.checked add constraint positive check (n > 0) not valid");
            String job = value(reader, "alter table async own.checked validate constraint positive");
            assertThat(value(reader, "select count(*) from sys.jobs where job_id = '" + job + "'"))
                    .isEqualTo("1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void theVersionIs16(String mode) throws SQLException {
        try (Connection connection = connect(mode)) {
            assertThat(value(connection, "show server_version")).isEqualTo("16");
            assertThat(value(connection, "select version()")).isEqualTo("PostgreSQL 16");
            assertThat(value(connection, "select upper(version())")).isEqualTo("POSTGRESQL 16");
            assertThat(connection.getMetaData().getDatabaseMajorVersion()).isEqualTo(16);
        }
    }
}
