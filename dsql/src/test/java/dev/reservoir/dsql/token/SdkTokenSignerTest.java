package dev.reservoir.dsql.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dsql.DefaultDsqlUtilities;
import software.amazon.awssdk.services.dsql.DsqlUtilities;
import software.amazon.awssdk.services.dsql.model.GenerateAuthTokenRequest;

/** Tokens as the server reads them. */
class SdkTokenSignerTest {
    private static final String HOST = "abc.dsql.us-east-1.on.aws";
    private static final AwsCredentialsProvider KEY =
            StaticCredentialsProvider.create(AwsBasicCredentials.create("AKIDEXAMPLE", "the-secret-key"));

    private static Token sign(String user, AwsCredentialsProvider credentials, Duration duration) {
        return new SdkTokenSigner(HOST, "us-east-1", user, credentials, duration, Clock.systemUTC()).sign();
    }

    private static Map<String, String> parameters(Token token) {
        assertThat(token.secret()).startsWith(HOST + "/?");
        Map<String, String> parameters = new HashMap<>();
        for (String parameter : token.secret().substring((HOST + "/?").length()).split("&", -1)) {
            String[] parts = parameter.split("=", 2);
            parameters.put(parts[0], parts[1]);
        }
        return parameters;
    }

    @Test
    void theAdministratorConnectsByAnActionOfItsOwn() {
        assertThat(parameters(sign("admin", KEY, Duration.ofMinutes(15))))
                .containsEntry("Action", "DbConnectAdmin")
                .hasEntrySatisfying(
                        "X-Amz-Credential",
                        credential -> assertThat(credential)
                                .startsWith("AKIDEXAMPLE%2F")
                                .endsWith("%2Fus-east-1%2Fdsql%2Faws4_request"));
    }

    @Test
    void aRoleConnectsByTheOther() {
        assertThat(parameters(sign("app", KEY, Duration.ofMinutes(15)))).containsEntry("Action", "DbConnect");
        assertThat(parameters(sign("Admin", KEY, Duration.ofMinutes(15)))).containsEntry("Action", "DbConnect");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 900, 604_800})
    void theServerIsToldTheDuration(long seconds) {
        assertThat(parameters(sign("admin", KEY, Duration.ofSeconds(seconds))))
                .containsEntry("X-Amz-Expires", Long.toString(seconds));
    }

    @ParameterizedTest
    @CsvSource({"admin,", "app,", "admin, the+session/token=", "app, the+session/token="})
    void aTokenIsTheOneThatTheSdksUtilitiesMake(String user, String session) {
        AwsCredentialsProvider credentials = StaticCredentialsProvider.create(
                session == null
                        ? AwsBasicCredentials.create("AKIDEXAMPLE", "the-secret-key")
                        : AwsSessionCredentials.create("ASIAEXAMPLE", "the-secret-key", session));
        Clock clock = Clock.fixed(Instant.parse("2026-11-01T12:34:56Z"), ZoneOffset.UTC);
        GenerateAuthTokenRequest request = GenerateAuthTokenRequest.builder()
                .hostname(HOST)
                .region(Region.US_EAST_1)
                .expiresIn(Duration.ofMinutes(15))
                .build();
        DefaultDsqlUtilities.DefaultBuilder builder = new DefaultDsqlUtilities.DefaultBuilder();
        builder.credentialsProvider(credentials);
        DsqlUtilities theirs = new DefaultDsqlUtilities(builder, clock);
        Token theirToken = new Token(
                user.equals("admin")
                        ? theirs.generateDbConnectAdminAuthToken(request)
                        : theirs.generateDbConnectAuthToken(request),
                clock.instant());

        Token ours = new SdkTokenSigner(HOST, "us-east-1", user, credentials, Duration.ofMinutes(15), clock).sign();

        assertThat(parameters(ours)).isEqualTo(parameters(theirToken)).containsKey("X-Amz-Signature");
        assertThat(ours.expires()).isEqualTo(clock.instant().plusSeconds(900));
    }

    @Test
    void aTokenEndsWithTheCredentialsBehindIt() {
        Instant soon = Instant.now().plusSeconds(60);
        AwsSessionCredentials session = AwsSessionCredentials.builder()
                .accessKeyId("ASIAEXAMPLE")
                .secretAccessKey("the-secret-key")
                .sessionToken("the-session")
                .expirationTime(soon)
                .build();
        Token token = sign("admin", StaticCredentialsProvider.create(session), Duration.ofHours(1));
        assertThat(token.expires()).isEqualTo(soon);
        assertThat(parameters(token)).containsEntry("X-Amz-Security-Token", "the-session");
        assertThat(sign("admin", KEY, Duration.ofHours(1)).expires())
                .isAfter(Instant.now().plusSeconds(3500));
    }

    @Test
    void aSourceThatFailsSaysSo() {
        AwsCredentialsProvider failing = () -> {
            throw new IllegalStateException("no credentials here");
        };
        assertThatThrownBy(() -> sign("admin", failing, Duration.ofMinutes(1))).hasMessage("no credentials here");
    }
}
