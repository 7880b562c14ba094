package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dsql.DsqlUtilities;
import software.amazon.awssdk.services.dsql.model.GenerateAuthTokenRequest;

/** Tokens as the AWS SDK makes them. */
class TokenTest {
    private static final String DENIED = "unable to accept connection, access denied";
    private static final AwsCredentials KNOWN = AwsBasicCredentials.create("AKIAKNOWN", "known-secret");
    private static final TokenCheck SIGNATURE = TokenCheck.signature(Map.of("AKIAKNOWN", "known-secret"));

    /** The SDK signs by the machine's clock; the emulator's runs ahead of it by this. */
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

    private final InstantSource clock = () -> Instant.now().plus(ahead.get());

    private DsqlEmulator start(TokenCheck check) {
        return DsqlEmulator.builder()
                .backend(Backend.stub())
                .clock(clock)
                .tokens(check)
                .start();
    }

    private static String token(AwsCredentials credentials, String host, boolean admin) {
        DsqlUtilities utilities = DsqlUtilities.builder()
                .region(Region.EU_WEST_1)
                .credentialsProvider(StaticCredentialsProvider.create(credentials))
                .build();
        GenerateAuthTokenRequest request =
                GenerateAuthTokenRequest.builder().hostname(host).build();
        return admin
                ? utilities.generateDbConnectAdminAuthToken(request)
                : utilities.generateDbConnectAuthToken(request);
    }

    private static void enter(DsqlEmulator dsql, String user, String token) throws SQLException {
        try (Connection connection = Client.as(dsql, user, token, "")) {
            assertThat(connection.isValid(5)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHAPE", "SIGNATURE"})
    void aTokenOfTheSdkOpensTheDoor(TokenCheck.Depth depth) throws SQLException {
        TokenCheck check = depth == TokenCheck.Depth.SHAPE ? TokenCheck.shape() : SIGNATURE;
        try (DsqlEmulator dsql = start(check)) {
            enter(dsql, "admin", token(KNOWN, "localhost", true));
            enter(dsql, "orders", token(KNOWN, "localhost", false));
            AwsCredentials session = AwsSessionCredentials.create("AKIAKNOWN", "known-secret", "session+/=token");
            enter(dsql, "admin", token(session, "localhost", true));
            assertThat(dsql.counters().accepted()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @CsvSource({"admin, localhost, false", "orders, localhost, true", "admin, elsewhere, true"})
    void actionUserAndHostMustFit(String user, String host, boolean forAdmin) {
        try (DsqlEmulator dsql = start(TokenCheck.shape())) {
            assertRefused(() -> enter(dsql, user, token(KNOWN, host, forAdmin)), "08006", DENIED);
            assertThat(dsql.counters().refusedByToken()).isEqualTo(1);
            assertThat(dsql.counters().accepted()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret", "localhost/?", "localhost/?Action=DbConnectAdmin", "localhost/?Action=%zz"})
    void whatIsNoTokenIsRefused(String password) {
        try (DsqlEmulator dsql = start(TokenCheck.shape())) {
            assertRefused(() -> enter(dsql, "admin", password), "08006", DENIED);
        }
    }

    @Test
    void anExpiredTokenIsRefusedWithAHint() throws SQLException {
        try (DsqlEmulator dsql = start(SIGNATURE)) {
            String token = token(KNOWN, "localhost", true);
            enter(dsql, "admin", token);
            ahead.set(Duration.ofMinutes(16));
            assertRefused(() -> enter(dsql, "admin", token), "08006", "Hint: Signature expired: ");
        }
    }

    @Test
    void aTokenFromTheFutureIsRefused() {
        try (DsqlEmulator dsql = start(SIGNATURE)) {
            ahead.set(Duration.ofMinutes(-16));
            assertRefused(() -> enter(dsql, "admin", token(KNOWN, "localhost", true)), "08006", DENIED);
        }
    }

    @Test
    void anOpenConnectionOutlivesItsToken() throws SQLException {
        try (DsqlEmulator dsql = start(SIGNATURE);
                Connection connection = Client.as(dsql, "admin", token(KNOWN, "localhost", true), "")) {
            ahead.set(Duration.ofMinutes(16));
            assertThat(connection.isValid(5)).isTrue();
        }
    }

    @Test
    void aSignatureWithAnotherSecretOrOfAnUnknownKeyIsRefused() {
        try (DsqlEmulator dsql = start(SIGNATURE)) {
            AwsCredentials guessed = AwsBasicCredentials.create("AKIAKNOWN", "guessed");
            AwsCredentials stranger = AwsBasicCredentials.create("AKIASTRANGER", "known-secret");
            assertRefused(() -> enter(dsql, "admin", token(guessed, "localhost", true)), "08006", DENIED);
            assertRefused(() -> enter(dsql, "admin", token(stranger, "localhost", true)), "08006", DENIED);
            assertRefused(
                    () -> enter(dsql, "admin", token(KNOWN, "localhost", true).replace("Expires=", "Expires=1")),
                    "08006",
                    DENIED);
        }
    }

    @Test
    void noSecretIsShown() {
        assertThat(SIGNATURE.toString()).doesNotContain("known-secret");
        assertThat(Backend.postgres("db", 1, "postgres", "me", "hidden").toString())
                .doesNotContain("hidden");
    }
}
