package dev.reservoir.dsql.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.dsql.DsqlTokens;
import dev.reservoir.dsql.TestCluster;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.Endpoint;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** Data sources of the same cluster, user and credentials have their tokens together, until the last is closed. */
class SharedTokensTest {
    private static final Duration DURATION = Duration.ofMinutes(15);

    private final Provider provider = new Provider();

    private static final class Provider implements AwsCredentialsProvider, AutoCloseable {
        private final AtomicInteger closes = new AtomicInteger();

        @Override
        public AwsCredentials resolveCredentials() {
            return AwsBasicCredentials.create(TestCluster.KEY, TestCluster.SECRET);
        }

        @Override
        public void close() {
            closes.incrementAndGet();
        }
    }

    private static ClusterLogin cluster(String user) {
        return new ClusterLogin(
                Endpoint.parse("endpoint", "shared.example"), "us-east-1", "postgres", user, null, Map.of());
    }

    private static boolean serves(DsqlTokens tokens) {
        return tokens.current()
                .toCompletableFuture()
                .handle((token, error) -> error == null)
                .join();
    }

    @Test
    void theSameAreShared() {
        try (SharedTokens one = SharedTokens.acquire(cluster("app"), provider, null, DURATION);
                SharedTokens other = SharedTokens.acquire(cluster("app"), provider, "not used", DURATION)) {
            assertThat(one.tokens()).isSameAs(other.tokens());
            assertThat(serves(one.tokens())).isTrue();
            assertThat(other.tokens().stats().made()).isEqualTo(1);
        }
    }

    @Test
    void othersAreNot() {
        try (SharedTokens one = SharedTokens.acquire(cluster("app"), provider, null, DURATION);
                SharedTokens user = SharedTokens.acquire(cluster("admin"), provider, null, DURATION);
                SharedTokens duration = SharedTokens.acquire(cluster("app"), provider, null, DURATION.plusSeconds(1));
                SharedTokens source = SharedTokens.acquire(cluster("app"), new Provider(), null, DURATION);
                SharedTokens chain = SharedTokens.acquire(cluster("app"), null, null, DURATION);
                SharedTokens profile = SharedTokens.acquire(cluster("app"), null, "p", DURATION)) {
            assertThat(Stream.of(one, user, duration, source, chain, profile)
                            .map(SharedTokens::tokens)
                            .distinct())
                    .hasSize(6);
        }
    }

    @Test
    void theyEndWithTheLastThatHoldsThem() {
        SharedTokens one = SharedTokens.acquire(cluster("app"), provider, null, DURATION);
        SharedTokens other = SharedTokens.acquire(cluster("app"), provider, null, DURATION);
        one.close();
        one.close();
        other.tokens().close();
        assertThat(serves(other.tokens())).as("neither twice nor from outside").isTrue();
        other.close();
        try (SharedTokens next = SharedTokens.acquire(cluster("app"), provider, null, DURATION)) {
            assertThat(next.tokens()).isNotSameAs(other.tokens());
            assertThat(serves(next.tokens())).isTrue();
        }
        assertThat(provider.closes).as("it was given").hasValue(0);
    }

    @Test
    void whatNeverServedIsClosedAtTheEnd() {
        SharedTokens one = SharedTokens.acquire(
                cluster("app"), StaticCredentialsProvider.create(provider.resolveCredentials()), null, DURATION);
        one.close();
        assertThat(serves(one.tokens())).isFalse();
    }
}
