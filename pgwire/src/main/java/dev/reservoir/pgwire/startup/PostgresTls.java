package dev.reservoir.pgwire.startup;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import javax.net.ssl.SSLContext;

/** TLS as servers of the PostgreSQL protocol have it. */
public final class PostgresTls {
    /** The protocol that clients request which begin with TLS at the first byte. */
    public static final ApplicationProtocolConfig PROTOCOL = new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            "postgresql");

    private PostgresTls() {}

    /** The server's side with the keys of this context. */
    public static SslContext server(SSLContext keys) {
        return new JdkSslContext(
                keys, false, null, IdentityCipherSuiteFilter.INSTANCE, PROTOCOL, ClientAuth.NONE, null, false);
    }
}
