package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.channel.EventLoops;
import dev.reservoir.pgwire.channel.NamedThreads;
import dev.reservoir.pgwire.startup.PostgresTls;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that listens. One event loop serves all connections. Handlers are called on worker threads, at most one for
 * each session, which end when they are idle.
 */
public final class RunningServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningServer.class);
    private static final int BACKLOG = 128;
    private static final long WORKER_IDLE_SECONDS = 10;

    /** Longest time that {@link #close()} waits for handlers. They have been interrupted by then. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final ServerConfig config;
    private final Sessions sessions;
    private final EventLoops loops;
    private final NamedThreads workerThreads;
    private final ThreadPoolExecutor workers;
    private InetSocketAddress address = new InetSocketAddress(0);

    private RunningServer(ServerConfig config) {
        this.config = config;
        sessions = new Sessions(config.maxSessions());
        loops = new EventLoops(config.name(), 1);
        workerThreads = new NamedThreads(config.name() + "-worker");
        // The queue stays short: a session has one call at a time.
        workers = new ThreadPoolExecutor(
                config.maxSessions(),
                config.maxSessions(),
                WORKER_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                workerThreads);
        workers.allowCoreThreadTimeOut(true);
    }

    /** Starts a server. Blocks until it listens, or throws {@link IllegalStateException}. */
    public static RunningServer start(ServerConfig config, String bindAddress, int port) {
        RunningServer server = new RunningServer(config);
        try {
            server.listen(bindAddress, port);
            return server;
        } catch (Exception e) {
            server.close();
            throw new IllegalStateException(config.name() + " cannot listen on " + bindAddress + ":" + port, e);
        }
    }

    private void listen(String bindAddress, int port) {
        SslContext tls = config.tls() == null ? null : PostgresTls.server(config.tls());
        address = loops.bind(
                bindAddress,
                port,
                BACKLOG,
                channel -> channel.pipeline().addLast(new ServerStartup(config, tls, sessions, workers)));
    }

    public InetSocketAddress address() {
        return address;
    }

    public int sessions() {
        return sessions.count();
    }

    @Override
    public void close() {
        sessions.endAll();
        loops.close();
        workers.shutdown();
        if (!workerThreads.join(CLOSE_TIMEOUT)) {
            LOG.warn("Handlers of {} did not end within {} s", config.name(), CLOSE_TIMEOUT.toSeconds());
        }
    }
}
