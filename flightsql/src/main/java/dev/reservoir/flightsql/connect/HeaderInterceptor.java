package dev.reservoir.flightsql.connect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds the pool's headers and the current credential to every call. Never waits for a credential. */
final class HeaderInterceptor implements ClientInterceptor {
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
                super.start(listener, metadata);
            }
        };
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
