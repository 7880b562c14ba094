package dev.reservoir.flightsql.connect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adds the pool's headers and the current credential to every call. Never waits for a credential. */
final class HeaderInterceptor implements ClientInterceptor {
    private static final Logger log = LoggerFactory.getLogger("dev.reservoir.flightsql.FlightSqlPool");

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Map<String, String> headers;
    private final @Nullable Credentials credentials;

    /** The credential with which the connection was opened, until the source has another one. */
    private volatile @Nullable Credential last;

    HeaderInterceptor(Map<String, String> headers, @Nullable Credentials credentials, @Nullable Credential first) {
        this.headers = headers;
        this.credentials = credentials;
        last = first;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<A> listener, Metadata metadata) {
                headers.forEach(
                        (key, value) -> metadata.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), value));
                Credential credential = current();
                if (credential != null && credential.secret() != null) {
                    metadata.put(AUTHORIZATION, authorization(credential));
                }
                super.start(credential == null ? listener : new Reporter<>(listener, credential), metadata);
            }
        };
    }

    /** Tells the source of credentials that the server did not accept the one of this call. */
    private final class Reporter<A> extends SimpleForwardingClientCallListener<A> {
        private final Credential sent;

        Reporter(ClientCall.Listener<A> listener, Credential sent) {
            super(listener);
            this.sent = sent;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            try {
                if (credentials != null && status.getCode() == Status.Code.UNAUTHENTICATED) {
                    credentials.refused(sent);
                }
            } catch (RuntimeException e) {
                // Its message is not shown, because it may hold a secret.
                log.warn(
                        "Flight SQL pool: the source of credentials failed to note a refusal  error={}",
                        e.getClass().getName());
            } finally {
                super.onClose(status, trailers);
            }
        }
    }

    private @Nullable Credential current() {
        if (credentials != null) {
            var stage = credentials.current().toCompletableFuture();
            if (stage.isDone() && !stage.isCompletedExceptionally()) {
                last = stage.getNow(last);
            }
        }
        return last;
    }

    private static String authorization(Credential credential) {
        if (credential.user() == null) {
            return "Bearer " + credential.secret();
        }
        String pair = credential.user() + ":" + credential.secret();
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
    }
}
