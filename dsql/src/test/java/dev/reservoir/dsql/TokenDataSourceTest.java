package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.spi.Permits;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Permits that nobody waits for any longer are not lost. */
class TokenDataSourceTest {
    private static final Cluster CLUSTER =
            new Cluster(Endpoint.parse("endpoint", "permits.example"), "us-east-1", "postgres", "app", null, Map.of());

    private final AtomicInteger givenBack = new AtomicInteger();

    /** Grants what it is asked for at the very moment in which the wait ends in vain. */
    private final class LatePermits implements Permits {
        private final Exception end;

        LatePermits(Exception end) {
            this.end = end;
        }

        @Override
        public CompletionStage<Permit> acquire(Urgency urgency) {
            return new CompletableFuture<>() {
                @Override
                public Permit get(long timeout, TimeUnit unit) throws InterruptedException, TimeoutException {
                    complete(givenBack::incrementAndGet);
                    if (end instanceof TimeoutException late) {
                        throw late;
                    }
                    throw new InterruptedException();
                }
            };
        }

        @Override
        public double ratePerSecond() {
            return 1;
        }

        @Override
        public String describe() {
            return "rate 1/s";
        }
    }

    private static TokenDataSource dataSource(Permits permits) {
        return new TokenDataSource(
                CLUSTER,
                () -> CompletableFuture.completedFuture(new Credential("app", "secret")),
                permits,
                Cluster.driver(),
                new Connects(new SplittableRandom()),
                Duration.ofMillis(1));
    }

    @Test
    void aPermitThatComesAsTheWaitEndsGoesBack() {
        assertThatThrownBy(() ->
                        dataSource(new LatePermits(new TimeoutException())).getConnection())
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasMessage("connection rate limit exceeded: no permit within 1 ms (rate 1/s)");
        assertThat(givenBack).hasValue(1);
    }

    @Test
    void soDoesOneThatComesAsTheThreadIsInterrupted() {
        assertThatThrownBy(() ->
                        dataSource(new LatePermits(new InterruptedException())).getConnection())
                .hasMessageStartingWith("interrupted while waiting to connect");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(givenBack).hasValue(1);
    }
}
