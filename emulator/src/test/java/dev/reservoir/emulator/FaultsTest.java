package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults on demand. */
class FaultsTest {
    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

    private static Faults faults() {
        return dsql.emulator().faults();
    }

    private static Connection connect(String more) throws SQLException {
        return Client.connect(dsql.emulator(), more);
    }

    @AfterEach
    void clear() {
        faults().clear();
    }

    @Test
    void refusedConnectsEndAtOnce() throws SQLException {
        faults().refuse(true);
        assertThatThrownBy(() -> connect("").close()).isInstanceOf(SQLException.class);
        faults().refuse(false);
        connect("").close();
    }

    @Test
    void hangingConnectsEndWhenTheClientGivesUp() {
        faults().hangConnects(true);
        assertThatThrownBy(() -> connect("&loginTimeout=1").close()).isInstanceOf(SQLException.class);
    }

    @Test
    void connectsAndStatementsTakeAsLongAsTheyAreTold() throws SQLException {
        Duration delay = Duration.ofMillis(300);
        faults().delayConnects(delay);
        long start = System.nanoTime();
        try (Connection connection = connect("")) {
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(delay.toNanos());
            faults().slowStatements(delay);
            start = System.nanoTime();
            assertThat(value(connection, "select 1")).isEqualTo("1");
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(delay.toNanos());
        }
        assertThatThrownBy(() -> faults().slowStatements(Duration.ofMillis(-1)))
                .hasMessage("slowStatements is PT-0.001S; allowed: zero or longer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void unavailableAnswersStatementsAndTheConnectionLivesOn(String mode) throws SQLException {
        try (Connection connection = connect(mode)) {
            faults().unavailable(true);
            assertRefused(() -> run(connection, "select 1"), "XX000", "server unavailable");
            connection.setAutoCommit(false);
            assertRefused(() -> run(connection, "select 1"), "XX000", "server unavailable");
            faults().unavailable(false);
            connection.rollback();
            assertThat(value(connection, "select 1")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void aCommitThatIsUnavailableCommitsNothingUnlessAskedTo(String mode) throws SQLException {
        try (Connection connection = connect(mode)) {
            run(connection, "drop table if exists commits");
            run(connection, "create table commits (id int)");
            connection.setAutoCommit(false);
            run(connection, "insert into commits values (1)");
            faults().unavailable(true);
            assertRefused(connection::commit, "XX000", "server unavailable");
            faults().clear();
            connection.rollback();
            assertThat(value(connection, "select count(*) from commits")).isEqualTo("0");

            run(connection, "insert into commits values (1)");
            faults().unavailableAfterCommit(true);
            assertRefused(connection::commit, "XX000", "server unavailable");
            faults().clear();
            connection.rollback();
            assertThat(value(connection, "select count(*) from commits")).isEqualTo("1");
        }
    }

    @Test
    void tokensAreRefusedOnDemand() {
        faults().refuseTokens(true);
        assertRefused(
                () -> Client.as(dsql.emulator(), "admin", "anything", "").close(),
                "08006",
                "unable to accept connection, access denied");
    }

    @Test
    void aShareOfTheConnectionsIsDropped() throws SQLException {
        // The connections of earlier tests must be closed first.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> dsql.emulator().counters().open() == 0);
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            connections.add(connect(""));
        }
        long before = dsql.emulator().counters().dropped();
        assertThat(faults().dropShare(0.3)).isEqualTo(3);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> dsql.emulator().counters().open() == 7);
        int alive = 0;
        for (Connection connection : connections) {
            alive += connection.isValid(5) ? 1 : 0;
            connection.close();
        }
        assertThat(alive).isEqualTo(7);
        assertThat(dsql.emulator().counters().dropped()).isEqualTo(before + 3);
        assertThatThrownBy(() -> faults().dropShare(1.5)).hasMessage("share is 1.5; allowed: 0 to 1");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> dsql.emulator().counters().open() == 0);
    }
}
