package dev.reservoir.dsql.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.Endpoint;
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

/** Permits that are not used are not lost, and after a refusal of the server none is taken before the pause is over. */
class ConnectionOpenerTest {
    private static final ClusterLogin CLUSTER = new ClusterLogin(
            Endpoint.parse("endpoint", "permits.example"), "us-east-1", "postgres", "app", null, Map.of());

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

    /** Grants everything at once. */
    private final class FreePermits implements Permits {
        private final AtomicInteger granted = new AtomicInteger();

        @Override
        public CompletionStage<Permit> acquire(Urgency urgency) {
            granted.incrementAndGet();
            return CompletableFuture.completedFuture(givenBack::incrementAndGet);
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

    private static ConnectionOpener opener(Permits permits) {
        return opener(
                permits,
                () -> CompletableFuture.completedFuture(new Credential("app", "secret")),
                new ConnectCounts(new SplittableRandom()));
    }

    private static ConnectionOpener opener(Permits permits, Credentials tokens, ConnectCounts connects) {
        return new ConnectionOpener(CLUSTER, tokens, permits, ClusterLogin.driver(), connects, Duration.ofMillis(1));
    }

    @Test
    void aPermitThatComesAsTheWaitEndsGoesBack() {
        assertThatThrownBy(() -> opener(new LatePermits(new TimeoutException())).open())
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasMessage("connection rate limit exceeded: no permit within 1 ms (rate 1/s)");
        assertThat(givenBack).hasValue(1);
    }

    @Test
    void soDoesOneThatComesAsTheThreadIsInterrupted() {
        assertThatThrownBy(() ->
                        opener(new LatePermits(new InterruptedException())).open())
                .hasMessageStartingWith("interrupted while waiting to connect");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(givenBack).hasValue(1);
    }

    @Test
    void soDoesOneForWhichThereIsNoToken() {
        FreePermits permits = new FreePermits();
        Credentials none = () -> CompletableFuture.failedFuture(new IllegalStateException("no credentials"));
        assertThatThrownBy(() -> opener(permits, none, new ConnectCounts(new SplittableRandom()))
                        .open())
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasMessage("token provider failed: no credentials");
        assertThat(permits.granted).hasValue(1);
        assertThat(givenBack).hasValue(1);
    }

    @Test
    void afterARefusalOfTheServerNoPermitIsTakenBeforeThePauseIsOver() {
        ConnectCounts connects = new ConnectCounts(new SplittableRandom());
        for (int i = 0; i < 10; i++) {
            connects.failed(OpenFailureReason.SERVER_RATE, System.nanoTime());
        }
        FreePermits permits = new FreePermits();
        Credentials none = () -> CompletableFuture.failedFuture(new IllegalStateException("no credentials"));
        // An interrupt ends the pause at once, so that the test need not wait for its end.
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> opener(permits, none, connects).open())
                .hasMessageStartingWith("interrupted while waiting to connect");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(permits.granted).hasValue(0);
    }
}
