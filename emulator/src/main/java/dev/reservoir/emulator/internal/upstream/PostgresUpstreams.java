package dev.reservoir.emulator.internal.upstream;

import dev.reservoir.pgwire.auth.ClientPassword;
import dev.reservoir.pgwire.channel.Channels;
import dev.reservoir.pgwire.message.ClientMessages;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** Opens sessions with a PostgreSQL server, each on a connection of its own. */
public final class PostgresUpstreams implements Upstreams {
    private static final int CONNECT_MILLIS = 10_000;
    private static final Duration CANCEL_TIMEOUT = Duration.ofSeconds(1);

    private final Address address;
    private final Function<String, CompletableFuture<String>> roles;
    private final ClientPassword password;
    private final SysSchema sys = new SysSchema(this);

    /**
     * The address of the server.
     *
     * @param host its host
     * @param port its port
     * @param database the database that clients see as {@code postgres}
     */
    public record Address(String host, int port, String database) {}

    /** Sessions as the roles that {@code roles} gives to users, with a password that may be empty. */
    public PostgresUpstreams(Address address, Function<String, CompletableFuture<String>> roles, String password) {
        this.address = address;
        this.roles = roles;
        this.password = new ClientPassword(password);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the opening gets the result
    public void open(EventLoop loop, Map<String, String> startup, Opening opening) {
        roles.apply(startup.getOrDefault("user", ""))
                .whenCompleteAsync(
                        (role, failure) -> {
                            if (failure != null) {
                                opening.failed(failure);
                            } else {
                                connect(loop, parameters(startup, role), role, opening);
                            }
                        },
                        loop);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the future has a listener
    private void connect(EventLoop loop, Map<String, String> parameters, String role, Opening opening) {
        PostgresUpstream upstream = new PostgresUpstream(password, role, parameters, opening);
        bootstrap(loop)
                .handler(upstream.initializer())
                .connect(address.host(), address.port())
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        opening.failed(connected.cause());
                    }
                });
    }

    private static Bootstrap bootstrap(EventLoop loop) {
        return new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS);
    }

    /** The client's startup parameters, with DSQL's time zone and its only isolation level. */
    private Map<String, String> parameters(Map<String, String> startup, String role) {
        Map<String, String> parameters = new LinkedHashMap<>();
        startup.forEach((name, value) -> {
            if (!name.equalsIgnoreCase("timezone") && !name.equals("replication")) {
                parameters.put(name, value);
            }
        });
        parameters.put("user", role);
        parameters.put("database", address.database());
        parameters.put("TimeZone", "UTC");
        String options = startup.getOrDefault("options", "") + " -c default_transaction_isolation=repeatable\\ read";
        parameters.put("options", options.strip());
        return parameters;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the server never answers a cancel request
    public void cancel(EventLoop loop, int processId, int secret, Runnable asked) {
        bootstrap(loop)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address.host(), address.port())
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        asked.run();
                        return;
                    }
                    // The server closes this connection after it has passed the cancel request on.
                    Channel channel = connected.channel();
                    Channels.onClose(channel, asked);
                    Channels.writeAndFlush(channel, ClientMessages.cancel(processId, secret));
                    Channels.later(channel, CANCEL_TIMEOUT, () -> Channels.close(channel));
                });
    }

    @Override
    public void prepareSys(EventLoop loop, Consumer<Boolean> then) {
        sys.prepare(loop, then);
    }

    @Override
    public boolean knowsLocks() {
        return true;
    }
}
