package dev.reservoir.pgwire;

import static dev.reservoir.pgwire.ExampleServer.run;
import static dev.reservoir.pgwire.ExampleServer.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that end before they are done, by the client's wish or by its end. */
class CancelTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void aCancelledStatementFailsAndTheSessionGoesOn(String mode) throws Exception {
        try (ExampleServer server = ExampleServer.withPassword();
                Connection connection = server.connect(mode);
                Statement statement = connection.createStatement()) {
            ExampleHandler handler = server.nextHandler();
            CompletableFuture<SQLException> error = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(SQLException.class, () -> statement.execute("sleep")));
            assertThat(handler.sleeping.await(30, TimeUnit.SECONDS)).isTrue();
            statement.cancel();
            assertThat(error.get(30, TimeUnit.SECONDS).getSQLState()).isEqualTo("57014");
            assertThat(values(connection, "echo 1")).containsExactly("1");
        }
    }

    @Test
    void aCancelThatComesTooLateHasNoEffect() throws Exception {
        try (ExampleServer server = ExampleServer.withPassword();
                Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 20; i++) {
                statement.execute("echo 1");
                connection.unwrap(org.postgresql.PGConnection.class).cancelQuery();
                assertThat(values(connection, "echo 2")).containsExactly("2");
            }
        }
    }

    @Test
    void theTimeoutOfTheDriverCancels() throws Exception {
        try (ExampleServer server = ExampleServer.withPassword();
                Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            SQLException error = catchThrowableOfType(SQLException.class, () -> statement.execute("sleep"));
            assertThat(error.getSQLState()).isEqualTo("57014");
            run(connection, "set a = 1");
        }
    }

    @Test
    void theEndOfAConnectionInterruptsItsStatementAndClosesItsHandler() throws Exception {
        try (ExampleServer server = ExampleServer.withPassword()) {
            Connection connection = server.connect();
            ExampleHandler handler = server.nextHandler();
            CompletableFuture<SQLException> error = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(SQLException.class, () -> run(connection, "sleep")));
            assertThat(handler.sleeping.await(30, TimeUnit.SECONDS)).isTrue();
            connection.abort(Runnable::run);
            assertThat(handler.closed.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat((Throwable) error.get(30, TimeUnit.SECONDS)).isNotNull();
        }
    }
}
