package dev.reservoir.dsql.token;

import dev.reservoir.dsql.endpoint.ClusterLogin;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner.AuthLocation;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;

/**
 * Signs tokens on this machine with the AWS SDK. Only the fetch of the credentials can take long or fail.
 *
 * <p>The token equals the one that the SDK's {@code DsqlUtilities} make from the same credentials at the same moment.
 * This class does not use them, because they turn the signed request into a URI. The SDK's class for that logs the URI,
 * with the signature, at trace level. The signer underneath does not.
 */
record SdkTokenSigner(
        String host, String region, String user, AwsCredentialsProvider credentials, Duration duration, Clock clock) {
    private static final AwsV4HttpSigner SIGNER = AwsV4HttpSigner.create();

    /** Makes a token now. May block for long, because credentials may have to be fetched. */
    Token sign() {
        AwsCredentials identity = credentials.resolveCredentials();
        SdkHttpRequest request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.GET)
                .protocol("https")
                .host(host)
                .encodedPath("/")
                .putRawQueryParameter("Action", user.equals(ClusterLogin.ADMIN) ? "DbConnectAdmin" : "DbConnect")
                .build();
        Clock now = Clock.fixed(clock.instant(), clock.getZone());
        SdkHttpRequest signed = SIGNER.sign(task -> task.identity(identity)
                        .request(request)
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "dsql")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, region)
                        .putProperty(AwsV4HttpSigner.AUTH_LOCATION, AuthLocation.QUERY_STRING)
                        .putProperty(AwsV4HttpSigner.EXPIRATION_DURATION, duration)
                        .putProperty(HttpSigner.SIGNING_CLOCK, now))
                .request();
        String query = signed.encodedQueryParameters()
                .orElseThrow(() -> new IllegalStateException("bug: the signed request has no parameters"));
        Instant expires = now.instant().plus(duration);
        Instant end = identity.expirationTime().orElse(Instant.MAX);
        return new Token(host + "/?" + query, end.isBefore(expires) ? end : expires);
    }
}
