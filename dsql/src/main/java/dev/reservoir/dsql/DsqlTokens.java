package dev.reservoir.dsql;

import dev.reservoir.core.spi.Credentials;
import dev.reservoir.dsql.token.RenewingTokens;
import dev.reservoir.dsql.token.TokenDuration;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/**
 * Provides the IAM tokens of one cluster, one user and one source of AWS credentials. A token is the password of a
 * connect. Data sources with the same three and the same token duration share one instance.
 *
 * <p>It keeps one token and uses it until shortly before its end. A token ends when it expires or when the credentials
 * behind it expire, whichever comes first. A background task renews the token long before that, one renewal at a time.
 * If there is no usable token, callers wait for that renewal.
 *
 * <p>If the source of credentials fails or hangs, the next try follows after a growing pause. Until then the present
 * token is used as long as it is valid. If the server refuses a token, it is replaced once, immediately. If the server
 * refuses the new token as well, no further renewal is forced for a minute, because the token is not the problem.
 *
 * <p>No method blocks. Credentials are resolved on a separate thread. Never shows a token in logs, in exceptions or in
 * {@code toString}.
 */
public interface DsqlTokens extends Credentials, AutoCloseable {

    /**
     * Returns tokens that the AWS SDK signs. It resolves no credentials before the first token is needed. The caller
     * must close it. Does not block.
     *
     * @param host the cluster's host name
     * @param region the cluster's region
     * @param user {@code admin}, or a role of the database
     * @param tokenDuration how long the server accepts each token, from 1 second to 7 days
     */
    static DsqlTokens of(
            String host, String region, String user, AwsCredentialsProvider credentials, Duration tokenDuration) {
        TokenDuration.check("tokenDuration", tokenDuration);
        return RenewingTokens.of(host, region, user, credentials, tokenDuration, () -> {}, false);
    }

    /** Returns user and token for the next connect. Fails if there is no token and none can be made. Does not block. */
    @Override
    CompletionStage<Credential> current();

    /** Records that the server refused a token. If it is the present one, a renewal starts. Does not block. */
    @Override
    void refused(Credential credential);

    /** The user that the tokens are for. */
    String user();

    /** Returns the current counts. Does not block. */
    TokenStats stats();

    /**
     * Stops renewing. A token that has not expired remains usable. Does nothing to the tokens of a
     * {@link DsqlDataSource}, because other data sources may share them; they end with the last one. Does not block.
     */
    @Override
    void close();
}
