package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.DiscardReason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From open to close, no connection sends anything that Aurora DSQL refuses. */
class RefusedByDsqlTest {
    private static final Pattern REFUSED = Pattern.compile("(?i)\\bset\\s+transaction\\b"
            + "|\\bset\\s+session\\s+(characteristics|authorization)\\b"
            + "|\\bset\\s+(local\\s+)?(role|client_min_messages|default_transaction_\\w+)\\b"
            + "|\\bisolation\\s+level\\b"
            + "|\\b(discard|reset|listen|unlisten|savepoint)\\s");

    private static final Set<DiscardReason> ENDS_OF_LIFE = Set.of(
            DiscardReason.SUPERSEDED,
            DiscardReason.EXPIRING_SOON_ON_SCAN,
            DiscardReason.EXPIRED_ON_SCAN,
            DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);

    @BeforeEach
    @AfterEach
    void forget() {
        RecordingSocketFactory.clear();
    }

    @ParameterizedTest
    @CsvSource({"BACKGROUND,", "CHECKOUT,", "CHECKOUT, select 1"})
    void openingUsingReturningValidatingAndExpiringSendNothingThatIsRefused(Validation validation, String query)
            throws SQLException {
        ReservoirDataSourceBuilder builder = ReservoirDataSource.builder()
                .url(TestPostgres.url(RecordingSocketFactory.PARAMETER))
                .maxOpen(2)
                .baseLifetime(Duration.ofSeconds(2))
                .lifetimeJitter(Duration.ZERO)
                .guardWindow(Duration.ofMillis(200))
                .keepalive(Duration.ofMillis(1))
                .validation(validation);
        if (query != null) {
            builder.validationQuery(query);
        }
        try (ReservoirDataSource dataSource = builder.build()) {
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                use(dataSource);
                return dataSource.stats().discards().keySet().stream().anyMatch(ENDS_OF_LIFE::contains);
            });
        }

        String sent = RecordingSocketFactory.sent();
        assertThat(sent).as("what was recorded").contains("select 42", "ROLLBACK");
        assertThat(REFUSED.matcher(sent).results().map(r -> r.group()).distinct())
                .isEmpty();
    }

    private static void use(ReservoirDataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select 42");
        }
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            connection.setReadOnly(true);
            connection.setClientInfo("ApplicationName", "orders");
            try (PreparedStatement statement = connection.prepareStatement("select ?::int")) {
                statement.setInt(1, 1);
                statement.execute();
            }
            assertThat(connection.getMetaData().getURL()).isNotEmpty();
        }
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("select no_such_column")).isInstanceOf(SQLException.class);
            assertThat(connection.isValid(5)).isTrue();
        }
    }
}
