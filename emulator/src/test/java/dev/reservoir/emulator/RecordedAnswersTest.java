package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The emulator gives every answer that was recorded from a real cluster, in both protocols, word for word. */
class RecordedAnswersTest {
    /** Statements that the emulator cannot answer as DSQL does, and the reasons. */
    private static final Map<String, String> DIFFERENT = Map.of(
            "SELECT p.id, x.pid FROM t_lat_parent AS p LEFT JOIN LATERAL "
                    + "(SELECT p.id AS pid FROM t_lat_child AS c WHERE p.id = c.parent_id) AS x ON TRUE",
            "PostgreSQL carries this query out; DSQL fails on its way");

    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

    /** A statement and the answer to it. */
    record Recorded(String sql, String answer) {
        @Override
        public String toString() {
            return sql;
        }
    }

    @BeforeAll
    static void tables() throws SQLException {
        try (Connection connection = Client.connect(dsql.emulator())) {
            for (String sql : List.of(
                    "create table t_parent (id uuid primary key, name text)",
                    "create table t_child (id uuid primary key, parent_id uuid references t_parent)",
                    "create table t_implicit_bulk (id int)",
                    "create table t_idx (id int primary key, value text)",
                    "create table t_lat_parent (id uuid primary key)",
                    "create table t_lat_child (id int primary key, parent_id uuid)",
                    "create table t_alter (a int)",
                    "create table t_alter_pk (id int primary key, v int)",
                    "create table t_alter_pkadd (id int, v int)",
                    "create table t_alter_fk (parent_id uuid)",
                    "alter table t_alter_fk add constraint alter_fk foreign key (parent_id) references t_parent not valid",
                    "create index async t_first_idx on t_idx (value)")) {
                run(connection, sql);
            }
        }
    }

    static List<Recorded> recorded() throws IOException {
        List<Recorded> all = new ArrayList<>();
        InputStream file = Objects.requireNonNull(RecordedAnswersTest.class.getResourceAsStream("/dsql-answers.txt"));
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            String sql = "";
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("    ")) {
                    all.add(new Recorded(sql, line.strip()));
                } else {
                    sql = line;
                }
            }
        }
        return all;
    }

    static Stream<Recorded> answeredAlike() throws IOException {
        return recorded().stream().filter(one -> !DIFFERENT.containsKey(one.sql()));
    }

    private static String answer(String mode, String sql) throws SQLException {
        try (Connection connection = Client.connect(dsql.emulator(), mode)) {
            run(connection, sql);
            return "no error";
        } catch (PSQLException e) {
            ServerErrorMessage error = Objects.requireNonNull(e.getServerErrorMessage());
            return error.getSQLState() + " " + error.getMessage();
        }
    }

    @ParameterizedTest
    @MethodSource("answeredAlike")
    void theAnswerIsTheRecordedOne(Recorded recorded) throws SQLException {
        assertThat(answer("&preferQueryMode=simple", recorded.sql())).isEqualTo(recorded.answer());
        // The driver splits several statements, which makes them several transactions.
        if (!recorded.sql().contains("; ") || recorded.sql().contains("$$")) {
            assertThat(answer("", recorded.sql())).isEqualTo(recorded.answer());
        }
    }

    @Test
    void allButOneOf74AnswersAreAlike() throws IOException {
        assertThat(recorded()).hasSize(74);
        assertThat(answeredAlike()).hasSize(73);
    }

    /** Statements that a real cluster was recorded to accept. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void whatWorksThereWorks(String mode) throws SQLException {
        String suffix = mode.isEmpty() ? "_e" : "_s";
        try (Connection connection = Client.connect(dsql.emulator(), mode)) {
            for (String sql : List.of(
                    "create domain t_domain@ as text check (value <> '')",
                    "create view t_view@ as select id, name from t_parent",
                    "create sequence t_seq_one@ cache 1",
                    "create sequence t_seq_many@ cache 65536",
                    "create function t_double@(n int) returns int language sql return n * 2",
                    "create table t_deferred@ (id uuid primary key, parent_id uuid references t_parent deferrable initially deferred)",
                    "create table t_identity@ (id bigint generated always as identity (cache 65536) primary key)",
                    "insert into t_identity@ default values",
                    "select t_double@(21)")) {
                run(connection, sql.replace("@", suffix));
            }
        }
    }

    @Test
    void whatIsSaidToBeDifferentIs() throws Exception {
        for (Recorded one : recorded()) {
            if (DIFFERENT.containsKey(one.sql())) {
                assertThat(answer("", one.sql())).isNotEqualTo(one.answer());
            }
        }
    }
}
