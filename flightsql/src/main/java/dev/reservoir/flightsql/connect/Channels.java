package dev.reservoir.flightsql.connect;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.flightsql.PoolConfig;
import io.grpc.ClientTransportFilter;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.apache.arrow.flight.client.ClientCookieMiddleware;
import org.apache.arrow.flight.grpc.ClientInterceptorAdapter;
import org.jspecify.annotations.Nullable;

/** Creates gRPC channels that are one TCP connection each. Never connects. */
final class Channels {
    /** gRPC closes an idle channel's TCP connection, and with it the session, unless the timeout is this long. */
    private static final long NEVER_IDLE_DAYS = 365;

    /** How long gRPC waits for the answer to a keepalive. */
    private static final long KEEPALIVE_ANSWER_SECONDS = 20;

    private final Endpoint endpoint;
    private final PoolConfig config;
    private final @Nullable SslContext ssl;

    Channels(Endpoint endpoint, PoolConfig config) {
        this.endpoint = endpoint;
        this.config = config;
        ssl = endpoint.tls() ? sslContext(config.tls()) : null;
    }

    private static SslContext sslContext(PoolConfig.Tls tls) {
        try {
            SslContextBuilder builder = GrpcSslContexts.forClient();
            if (tls.trustedCertificates() != null) {
                builder.trustManager(tls.trustedCertificates().toFile());
            }
            if (tls.certificate() != null && tls.key() != null) {
                builder.keyManager(tls.certificate().toFile(), tls.key().toFile());
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new SettingException("tls", tls, "files with certificates and a key in PEM format", e);
        }
    }

    ManagedChannel create(@Nullable Credential credential, ClientTransportFilter filter) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(endpoint.host(), endpoint.port())
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .disableRetry()
                .idleTimeout(NEVER_IDLE_DAYS, TimeUnit.DAYS)
                .addTransportFilter(filter);
        if (!config.headers().isEmpty() || config.credentials() != null) {
            builder.intercept(new HeaderInterceptor(config.headers(), config.credentials(), credential));
        }
        if (config.cookies()) {
            builder.intercept(new ClientInterceptorAdapter(List.of(new ClientCookieMiddleware.Factory())));
        }
        if (!config.keepAlive().isZero()) {
            builder.keepAliveTime(config.keepAlive().toNanos(), TimeUnit.NANOSECONDS)
                    .keepAliveTimeout(KEEPALIVE_ANSWER_SECONDS, TimeUnit.SECONDS);
        }
        if (ssl == null) {
            builder.usePlaintext();
        } else {
            builder.sslContext(ssl);
            if (config.tls().serverName() != null) {
                builder.overrideAuthority(config.tls().serverName());
            }
        }
        return builder.build();
    }
}
