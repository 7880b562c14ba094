package dev.reservoir.flightsql.connect;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.Text;
import dev.reservoir.flightsql.PoolConfig;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Opens, validates and closes connections. A connection is open when the server has answered the health check on it:
 * only then does a server have a session for it. Never retries; the engine does.
 */
public final class FlightConnector implements Connector<FlightConnection> {
    private final Endpoint endpoint;
    private final Channels channels;
    private final @Nullable Credentials credentials;
    private final HealthCheck healthCheck;
    private final Memory memory;
    private final Executor threads;

    /**
     * Creates a connector.
     *
     * @param threads runs opens, validations and closes, which block until their timeouts at most
     */
    public FlightConnector(Endpoint endpoint, PoolConfig config, Memory memory, Executor threads) {
        this.endpoint = endpoint;
        channels = new Channels(endpoint, config);
        credentials = config.credentials();
        healthCheck = new HealthCheck(config.healthcheckSql());
        this.memory = memory;
        this.threads = threads;
    }

    @Override
    public CompletionStage<FlightConnection> open(long timeoutNanos) {
        CompletableFuture<FlightConnection> opened = new CompletableFuture<>();
        threads.execute(() -> open(timeoutNanos, opened));
        return opened;
    }

    private void open(long timeoutNanos, CompletableFuture<FlightConnection> opened) {
        Credential credential = null;
        FlightConnection connection = null;
        try {
            long deadline = System.nanoTime() + timeoutNanos;
            credential = credential(timeoutNanos);
            Credential first = credential;
            memory.retain();
            connection =
                    new FlightConnection(memory.allocator(), filter -> channels.create(first, filter), memory::release);
            healthCheck.run(connection, Math.max(1, deadline - System.nanoTime()));
            if (!opened.complete(connection)) {
                connection.close();
            }
        } catch (OpenFailedException e) {
            opened.completeExceptionally(e);
        } catch (Throwable e) {
            if (connection != null) {
                connection.close();
            }
            opened.completeExceptionally(failure(e, credential));
        }
    }

    private @Nullable Credential credential(long timeoutNanos) throws OpenFailedException {
        if (credentials == null) {
            return null;
        }
        Throwable cause;
        try {
            return credentials.current().toCompletableFuture().get(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            cause = e.getCause() == null ? e : e.getCause();
        } catch (TimeoutException e) {
            cause = new TimeoutException("no credentials within " + Text.nanos(timeoutNanos));
        } catch (InterruptedException | RuntimeException e) {
            cause = e;
        }
        throw new OpenFailedException(OpenFailureReason.TOKEN_PROVIDER, Text.words(cause), cause);
    }

    private OpenFailedException failure(Throwable error, @Nullable Credential credential) {
        OpenFailureReason reason = reason(error);
        OpenFailedException failure = new OpenFailedException(reason, endpoint + ": " + words(error), error);
        if (reason != OpenFailureReason.AUTHENTICATION || credentials == null || credential == null) {
            return failure;
        }
        try {
            // The interceptor has reported a credential that the server does not know.
            if (((FlightRuntimeException) error).status().code() == FlightStatusCode.UNAUTHORIZED) {
                credentials.refused(credential);
            }
            Credential now = credentials.current().toCompletableFuture().getNow(null);
            return new OpenFailedException(reason, endpoint + ": " + words(error), error, !credential.equals(now));
        } catch (RuntimeException e) {
            // The engine waits for the answer of this open, whatever the application's code does.
            failure.addSuppressed(e);
            return failure;
        }
    }

    /** gRPC's own message is often just "io exception", and its root cause says what happened. */
    private static String words(Throwable error) {
        String words = Text.words(error);
        Throwable root = Causes.root(error);
        return root == error || words.contains(Text.words(root)) ? words : words + ": " + Text.words(root);
    }

    private static OpenFailureReason reason(Throwable error) {
        if (Causes.contain(error, UnknownHostException.class)) {
            return OpenFailureReason.UNKNOWN_HOST;
        }
        if (!(error instanceof FlightRuntimeException failure)) {
            return OpenFailureReason.CONNECT;
        }
        return switch (failure.status().code()) {
            case RESOURCE_EXHAUSTED -> OpenFailureReason.SERVER_FULL;
            case UNAUTHENTICATED, UNAUTHORIZED -> OpenFailureReason.AUTHENTICATION;
            case TIMED_OUT -> OpenFailureReason.CONNECT_TIMEOUT;
            default -> OpenFailureReason.CONNECT;
        };
    }

    @Override
    public CompletionStage<Boolean> validate(FlightConnection connection, long timeoutNanos) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        threads.execute(() -> answer.complete(healthCheck.works(connection, timeoutNanos)));
        return answer;
    }

    @Override
    public CompletionStage<Void> close(FlightConnection connection, DiscardReason reason) {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Runnable close = () -> {
            try {
                connection.close();
            } finally {
                closed.complete(null);
            }
        };
        try {
            threads.execute(close);
        } catch (RejectedExecutionException noThread) {
            // Every connection must be closed, even if that takes the engine some milliseconds.
            close.run();
        }
        return closed;
    }

    /** The pool's Arrow memory. It is given back when neither the pool nor a connection uses it. */
    public interface Memory {
        BufferAllocator allocator();

        void retain();

        void release();
    }
}
