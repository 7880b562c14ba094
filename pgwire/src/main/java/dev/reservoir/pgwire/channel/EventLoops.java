package dev.reservoir.pgwire.channel;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loops of a server and the ports that it listens on. Their threads end with {@link #close()}. */
public final class EventLoops implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoops.class);

    /** Longest time that {@link #close()} waits for the threads. They only have to close their channels. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final String name;
    private final NamedThreads threads;
    private final EventLoopGroup group;

    /** Daemon threads with this name and a number. */
    public EventLoops(String name, int count) {
        this.name = name;
        threads = new NamedThreads(name);
        group = new NioEventLoopGroup(count, threads);
    }

    public EventLoop next() {
        return group.next();
    }

    /**
     * Listens on an address and returns the address that is bound. Blocks until then. {@code each} adds the handlers of
     * a new connection.
     *
     * @param backlog most connections that wait in the system until they are accepted
     */
    public InetSocketAddress bind(String address, int port, int backlog, Consumer<Channel> each) {
        Channel channel = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, backlog)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        each.accept(accepted);
                    }
                })
                .bind(address, port)
                .syncUninterruptibly()
                .channel();
        return (InetSocketAddress) channel.localAddress();
    }

    /** Closes every connection and ends the threads. Blocks until they have ended, for ten seconds at most. */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the threads are waited for
    public void close() {
        group.shutdownGracefully(0, CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        if (!threads.join(CLOSE_TIMEOUT)) {
            LOG.warn("The threads of {} did not end within {} s", name, CLOSE_TIMEOUT.toSeconds());
        }
    }
}
