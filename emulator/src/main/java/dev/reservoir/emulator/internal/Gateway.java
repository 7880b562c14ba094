package dev.reservoir.emulator.internal;

import dev.reservoir.emulator.internal.auth.Certificates;
import dev.reservoir.emulator.internal.gateway.Emulation;
import dev.reservoir.emulator.internal.gateway.FrontDoor;
import dev.reservoir.emulator.internal.gateway.LockWatch;
import dev.reservoir.emulator.internal.http.HttpDoor;
import dev.reservoir.emulator.internal.upstream.Upstreams;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for clients of the PostgreSQL protocol and for HTTP clients that read the counters. Its threads end with
 * {@link #close()}.
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    private static final int BACKLOG = 4096;
    private static final long SWEEP_MILLIS = 50;
    private static final long FAREWELL_SECONDS = 10;

    private final EventLoopGroup group = new NioEventLoopGroup(
            Math.max(2, Runtime.getRuntime().availableProcessors()), new DefaultThreadFactory("dsql-emulator", true));
    private final Emulation emulation;

    public Gateway(Emulation emulation) {
        this.emulation = emulation;
    }

    /** Starts to listen for clients and returns the port. Blocks until the port is bound. */
    @SuppressWarnings("FutureReturnValueIgnored") // the sweep ends when the event loops end
    public int listen(String address, int port, Upstreams upstreams, Certificates certificates) {
        SslContext tls = tls(certificates);
        if (upstreams.knowsLocks()) {
            // The lock watch connects first, before clients can take the server's last connection.
            new LockWatch(emulation, upstreams, group.next()).start();
        }
        int bound = bind(address, port, new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new FrontDoor(emulation, upstreams, tls));
            }
        });
        group.next().scheduleWithFixedDelay(emulation::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
        return bound;
    }

    /** Starts to listen for HTTP on the loopback address and returns the port. Blocks until the port is bound. */
    public int listenHttp(int port) {
        return bind("127.0.0.1", port, new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                HttpDoor.install(channel.pipeline(), emulation);
            }
        });
    }

    private int bind(String address, int port, ChannelInitializer<Channel> each) {
        Channel channel = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(each)
                .bind(address, port)
                .syncUninterruptibly()
                .channel();
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    private static SslContext tls(Certificates certificates) {
        try {
            // Clients that start TLS without asking first request this protocol.
            ApplicationProtocolConfig postgresql = new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    "postgresql");
            return SslContextBuilder.forServer(certificates.key(), certificates.certificate(), certificates.authority())
                    .applicationProtocolConfig(postgresql)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS could not be set up", e);
        }
    }

    /** Closes every connection and ends the threads. Blocks until they have ended, for ten seconds at most. */
    @Override
    public void close() {
        boolean ended = group.shutdownGracefully(0, FAREWELL_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(FAREWELL_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            LOG.warn("The emulator's threads did not end within {} s", FAREWELL_SECONDS);
        }
    }
}
