package dev.reservoir.emulator.internal;

import dev.reservoir.emulator.internal.auth.Certificates;
import dev.reservoir.emulator.internal.gateway.ClientStartup;
import dev.reservoir.emulator.internal.gateway.Emulation;
import dev.reservoir.emulator.internal.gateway.LockMonitor;
import dev.reservoir.emulator.internal.http.HttpRequestHandler;
import dev.reservoir.emulator.internal.upstream.Upstreams;
import dev.reservoir.pgwire.channel.EventLoops;
import dev.reservoir.pgwire.startup.PostgresTls;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * Listens for clients of the PostgreSQL protocol and for HTTP clients that read the counters. Its threads end with
 * {@link #close()}.
 */
public final class Gateway implements AutoCloseable {
    private static final int BACKLOG = 4096;
    private static final long SWEEP_MILLIS = 50;

    private final EventLoops loops =
            new EventLoops("dsql-emulator", Math.max(2, Runtime.getRuntime().availableProcessors()));
    private final Emulation emulation;

    public Gateway(Emulation emulation) {
        this.emulation = emulation;
    }

    /** Starts to listen for clients and returns the port. Blocks until the port is bound. */
    @SuppressWarnings("FutureReturnValueIgnored") // the sweep ends when the event loops end
    public int listen(String address, int port, Upstreams upstreams, Certificates certificates) {
        SslContext tls = tls(certificates);
        if (upstreams.knowsLocks()) {
            // The lock monitor connects first, before clients can take the server's last connection.
            new LockMonitor(emulation, upstreams, loops.next()).start();
        }
        int bound = loops.bind(
                        address,
                        port,
                        BACKLOG,
                        channel -> channel.pipeline().addLast(new ClientStartup(emulation, upstreams, tls)))
                .getPort();
        loops.next().scheduleWithFixedDelay(emulation::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
        return bound;
    }

    /** Starts to listen for HTTP on the loopback address and returns the port. Blocks until the port is bound. */
    public int listenHttp(int port) {
        return loops.bind(
                        "127.0.0.1",
                        port,
                        BACKLOG,
                        channel -> HttpRequestHandler.install(channel.pipeline(), emulation))
                .getPort();
    }

    private static SslContext tls(Certificates certificates) {
        try {
            return SslContextBuilder.forServer(certificates.key(), certificates.certificate(), certificates.authority())
                    .applicationProtocolConfig(PostgresTls.PROTOCOL)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS could not be set up", e);
        }
    }

    /** Closes every connection and ends the threads. Blocks until they have ended, for ten seconds at most. */
    @Override
    public void close() {
        loops.close();
    }
}
