package dev.reservoir.emulator.internal.auth;

import dev.reservoir.emulator.TokenCheck;
import dev.reservoir.emulator.TokenCheck.Depth;
import dev.reservoir.pgwire.PgError;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner.AuthLocation;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.AwsSessionCredentialsIdentity;

/**
 * Verifies tokens. A token is a request to {@code https://host/?Action=...}, presigned for the service {@code dsql},
 * without its scheme. Never shows any part of a token except its expiry.
 */
public final class TokenVerifier {
    private static final Duration LONGEST_LIFE = Duration.ofDays(7);

    /** How far a signer's clock may be ahead of the emulator's clock. */
    private static final Duration SKEW = Duration.ofMinutes(15);

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'");
    private static final Pattern DSQL_HOST = Pattern.compile(".*\\.dsql(?:-[a-z0-9]+)?\\.([a-z0-9-]+)\\.on\\.aws");

    private final String host;
    private final TokenCheck check;
    private final InstantSource clock;
    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();

    public TokenVerifier(String host, TokenCheck check, InstantSource clock) {
        this.host = host;
        this.check = check;
        this.clock = clock;
        if (check.depth() == Depth.SIGNATURE) {
            // The first signature takes long, so the constructor computes one before a connection has to wait for it.
            sign("DbConnect", new Scope("key", "20260101", "us-east-1"), "secret", null, Instant.EPOCH, SKEW);
        }
    }

    /** The answer to every invalid token. */
    public PgError denied() {
        return PgError.fatal("08006", "unable to accept connection, access denied");
    }

    /** The reason to refuse a user with a token, or null if the token is valid. */
    public @Nullable PgError refusal(String user, String token) {
        if (check.depth() == Depth.OFF) {
            return null;
        }
        try {
            return refusal(user, Token.read(token));
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            return denied();
        }
    }

    private @Nullable PgError refusal(String user, Token token) {
        String action = user.equals("admin") ? "DbConnectAdmin" : "DbConnect";
        Scope scope = Scope.read(token.get("X-Amz-Credential"));
        Instant date = LocalDateTime.parse(token.get("X-Amz-Date"), DATE).toInstant(ZoneOffset.UTC);
        Duration life = Duration.ofSeconds(Long.parseLong(token.get("X-Amz-Expires")));
        boolean good = token.host().equalsIgnoreCase(host)
                && token.get("Action").equals(action)
                && token.get("X-Amz-Algorithm").equals("AWS4-HMAC-SHA256")
                && token.get("X-Amz-SignedHeaders").equals("host")
                && token.get("X-Amz-Date").startsWith(scope.day())
                && isRegionOfHost(scope.region())
                && !life.isNegative()
                && life.compareTo(LONGEST_LIFE) <= 0;
        Instant now = clock.instant();
        if (!good || date.isAfter(now.plus(SKEW))) {
            return denied();
        }
        if (!now.isBefore(date.plus(life))) {
            return denied().withHint(
                            "Signature expired: " + text(date.plus(life)) + " is now earlier than " + text(now));
        }
        return check.depth() == Depth.SHAPE || isSigned(token, action, scope, date, life) ? null : denied();
    }

    private boolean isRegionOfHost(String region) {
        Matcher matcher = DSQL_HOST.matcher(host);
        return !matcher.matches() || matcher.group(1).equals(region);
    }

    private boolean isSigned(Token token, String action, Scope scope, Instant date, Duration life) {
        Optional<String> secret = check.secret(scope.accessKeyId());
        return secret.isPresent()
                && MessageDigest.isEqual(
                        token.get("X-Amz-Signature").getBytes(StandardCharsets.UTF_8),
                        sign(action, scope, secret.get(), token.parameters().get("X-Amz-Security-Token"), date, life)
                                .getBytes(StandardCharsets.UTF_8));
    }

    private String sign(
            String action, Scope scope, String secret, @Nullable String session, Instant date, Duration life) {
        AwsCredentialsIdentity identity = session == null
                ? AwsCredentialsIdentity.create(scope.accessKeyId(), secret)
                : AwsSessionCredentialsIdentity.create(scope.accessKeyId(), secret, session);
        SdkHttpRequest request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.GET)
                .protocol("https")
                .host(host)
                .encodedPath("/")
                .putRawQueryParameter("Action", action)
                .build();
        return signer.sign(sign -> sign.identity(identity)
                        .request(request)
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "dsql")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, scope.region())
                        .putProperty(AwsV4HttpSigner.AUTH_LOCATION, AuthLocation.QUERY_STRING)
                        .putProperty(AwsV4HttpSigner.EXPIRATION_DURATION, life)
                        .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(date, ZoneOffset.UTC)))
                .request()
                .firstMatchingRawQueryParameter("X-Amz-Signature")
                .orElse("");
    }

    private static String text(Instant instant) {
        return DATE.format(instant.atOffset(ZoneOffset.UTC));
    }

    /** The signer, the day and the region of a signature. */
    private record Scope(String accessKeyId, String day, String region) {
        static Scope read(String credential) {
            String[] parts = credential.split("/", -1);
            if (parts.length != 5 || !parts[3].equals("dsql") || !parts[4].equals("aws4_request")) {
                throw new IllegalArgumentException("the scope is not that of DSQL");
            }
            return new Scope(parts[0], parts[1], parts[2]);
        }
    }

    private record Token(String host, Map<String, String> parameters) {
        static Token read(String text) {
            int query = text.indexOf("/?");
            if (query < 0) {
                throw new IllegalArgumentException("no query");
            }
            Map<String, String> parameters = new HashMap<>();
            for (String parameter : text.substring(query + 2).split("&", -1)) {
                String[] sides = parameter.split("=", 2);
                String value = sides.length == 2 ? URLDecoder.decode(sides[1], StandardCharsets.UTF_8) : "";
                if (parameters.put(sides[0], value) != null) {
                    throw new IllegalArgumentException("a parameter is there twice");
                }
            }
            return new Token(text.substring(0, query), parameters);
        }

        String get(String name) {
            return parameters.getOrDefault(name, "");
        }

        @Override
        public String toString() {
            return "Token";
        }
    }
}
