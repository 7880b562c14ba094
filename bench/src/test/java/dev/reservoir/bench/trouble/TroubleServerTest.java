package dev.reservoir.bench.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class TroubleServerTest {

    @Test
    void countsSessionsEndsThemRefusesLoginsAndComesBackAfterAKill() throws Exception {
        try (TroubleServer server = TroubleServer.start()) {
            int port = server.port();
            try (Connection one = DriverManager.getConnection(server.url("counted"))) {
                assertThat(server.sessions("counted")).isEqualTo(1);
                assertThat(server.terminateIdle("counted")).isEqualTo(1);
                assertThat(server.sessions("counted")).isZero();
                assertThat(one.isValid(5)).isFalse();
            }

            String wrong = server.urlWithWrongPassword();
            assertThatThrownBy(() -> DriverManager.getConnection(wrong))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
            assertThat(server.refusedLogins()).isEqualTo(1);

            server.postgres.crash();
            assertThatThrownBy(() -> DriverManager.getConnection(server.url("gone")))
                    .isInstanceOf(SQLException.class);
            server.postgres.startAgain();
            assertThat(server.port()).isEqualTo(port);
            server.awaitAccepting();
        }
    }
}
