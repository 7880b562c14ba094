package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.postgres.local.LocalPostgres;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A PostgreSQL server that already runs, with each of its password methods. */
class ExternalPostgresTest {
    private static LocalPostgres server;

    @BeforeAll
    static void start() throws Exception {
        server = LocalPostgres.start();
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create database shop");
            for (String method : new String[] {"scram-sha-256", "md5", "password"}) {
                String encryption = method.equals("md5") ? "md5" : "scram-sha-256";
                statement.execute("set password_encryption = '" + encryption + "'");
                statement.execute("create role \"by " + method + "\" login password 'päss, word='");
            }
            Files.writeString(server.dataDirectory().resolve("pg_hba.conf"), """
                    host all "by scram-sha-256" all scram-sha-256
                    host all "by md5" all md5
                    host all "by password" all password
                    host all all all scram-sha-256
                    """);
            statement.execute("select pg_reload_conf()");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static DsqlEmulator emulator(String user, String password) {
        return DsqlEmulator.builder()
                .backend(Backend.postgres("127.0.0.1", server.port(), "shop", user, password))
                .httpPort(-1)
                .start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"scram-sha-256", "md5", "password"})
    void everyoneIsTheUserThatWasGiven(String method) throws Exception {
        try (DsqlEmulator dsql = emulator("by " + method, "päss, word=");
                Connection connection = Client.connect(dsql)) {
            assertThat(value(connection, "select current_user")).isEqualTo("by " + method);
            assertThat(value(connection, "select current_database()")).isEqualTo("shop");
            assertThat(value(connection, "show transaction_isolation")).isEqualTo("repeatable read");
        }
    }

    @Test
    void aWrongPasswordIsTheClientsToKnow() {
        try (DsqlEmulator dsql = emulator("by scram-sha-256", "wrong")) {
            assertRefused(() -> Client.connect(dsql).close(), "28P01", "password authentication failed");
            assertThat(dsql.counters().accepted()).isZero();
        }
    }

    @Test
    void aServerThatIsNotThereIsSaidToBeAway() {
        try (DsqlEmulator dsql = DsqlEmulator.builder()
                .backend(Backend.postgres("127.0.0.1", 1, "shop", "nobody", ""))
                .httpPort(-1)
                .start()) {
            assertRefused(() -> Client.connect(dsql).close(), "08006", "cannot be reached");
        }
    }
}
