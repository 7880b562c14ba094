package dev.reservoir.flightsql.server;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the producer which TCP peer calls, tells when a peer is gone, and checks the token of each call. */
final class Peers extends ServerTransportFilter implements ServerInterceptor {
    private static final Context.Key<String> PEER = Context.key("peer");
    private static final Attributes.Key<String> ADDRESS = Attributes.Key.create("peer");
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Consumer<String> gone;
    private final @Nullable String requiredAuthorization;

    Peers(Consumer<String> gone, @Nullable String requiredAuthorization) {
        this.gone = gone;
        this.requiredAuthorization = requiredAuthorization;
    }

    /** The address and port of the peer whose call runs on this thread. */
    static String current() {
        String peer = PEER.get();
        if (peer == null) {
            throw new IllegalStateException("bug: a call without a peer");
        }
        return peer;
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
        String peer = String.valueOf(attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
        return attributes.toBuilder().set(ADDRESS, peer).build();
    }

    @Override
    public void transportTerminated(Attributes attributes) {
        String peer = attributes == null ? null : attributes.get(ADDRESS);
        if (peer != null) {
            gone.accept(peer);
        }
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (requiredAuthorization != null && !requiredAuthorization.equals(headers.get(AUTHORIZATION))) {
            call.close(Status.UNAUTHENTICATED.withDescription("wrong or missing authorization"), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        String peer = String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
        return Contexts.interceptCall(Context.current().withValue(PEER, peer), call, headers, next);
    }
}
