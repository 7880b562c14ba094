package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.TokenCheck;
import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.emulator.internal.upstream.Upstreams;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.channel.Channels;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.message.ServerMessages;
import dev.reservoir.pgwire.startup.StartupHandler;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection until it is a {@link ClientSession}: the host name that the client sends, the limits, the token and the
 * database. Never reveals anything about the password.
 */
public final class ClientStartup extends StartupHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ClientStartup.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Emulation emulation;
    private final Upstreams upstreams;

    private Map<String, String> startup = Map.of();
    private @Nullable Upstream upstream;

    public ClientStartup(Emulation emulation, Upstreams upstreams, SslContext tls) {
        super(tls, TIMEOUT);
        this.emulation = emulation;
        this.upstreams = upstreams;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Channel channel = context.channel();
        FaultState faults = emulation.faults;
        if (faults.refuse) {
            Channels.reset(channel);
            return;
        }
        super.channelActive(context);
        Duration delay = faults.delayConnects;
        if (faults.hangConnects) {
            channel.config().setAutoRead(false);
        } else if (!delay.isZero()) {
            channel.config().setAutoRead(false);
            Channels.later(channel, delay, () -> channel.config().setAutoRead(true));
        }
    }

    @Override
    protected void onCancel(Channel channel, int processId, int secret) {
        upstreams.cancel(channel.eventLoop(), processId, secret, () -> {});
    }

    @Override
    protected @Nullable PgError refusal(Channel channel) {
        PgError refusal = hostRefusal();
        if (refusal == null) {
            refusal = emulation.admission.enter(emulation.limits(), emulation.clock.instant());
            if (refusal == null) {
                Channels.onClose(channel, emulation.admission::leave);
            }
        }
        return refusal;
    }

    private @Nullable PgError hostRefusal() {
        if (!isEncrypted()) {
            return PgError.fatal("28000", "unable to accept connection, TLS is required");
        }
        String named = serverName();
        if (named == null) {
            return emulation.sniRequired()
                    ? PgError.fatal("08006", "unable to accept connection, sni was not received")
                    : null;
        }
        return named.equalsIgnoreCase(emulation.host) ? null : emulation.tokens.denied();
    }

    @Override
    protected void onStartup(ChannelHandlerContext context, Map<String, String> parameters) {
        startup = parameters;
        if (emulation.tokenCheck.depth() == TokenCheck.Depth.OFF && !emulation.faults.refuseTokens) {
            open(context);
        } else {
            request(context.channel(), ServerMessages.cleartextPassword());
        }
    }

    @Override
    protected void onAuthentication(ChannelHandlerContext context, ByteBuf body) {
        String token = Frames.text(body);
        PgError refusal = emulation.faults.refuseTokens
                ? emulation.tokens.denied()
                : emulation.tokens.refusal(startup.getOrDefault("user", ""), token);
        if (refusal == null) {
            open(context);
        } else {
            emulation.refusedByToken.increment();
            refuse(context.channel(), refusal);
        }
    }

    private void open(ChannelHandlerContext context) {
        Channel channel = context.channel();
        String user = startup.getOrDefault("user", "");
        String database = startup.getOrDefault("database", user);
        if (!database.equals("postgres")) {
            refuse(channel, PgError.fatal("3D000", "database \"" + database + "\" does not exist"));
            return;
        }
        pause(channel);
        upstreams.open(channel.eventLoop(), startup, new Upstreams.Opening() {
            @Override
            public Upstream.Listener opened(Upstream opened) {
                upstream = opened;
                ClientSession session = new ClientSession(emulation, channel, upstreams, opened);
                session.whenOpen(() -> handOver(context, session));
                if (!channel.isActive()) {
                    opened.close();
                }
                Channels.write(channel, ServerMessages.authenticationOk());
                return session;
            }

            @Override
            public void failed(Throwable cause) {
                if (cause instanceof PgException known) {
                    refuse(channel, known.error());
                } else {
                    LOG.warn("The server behind the emulator cannot be reached: {}", cause.toString());
                    refuse(channel, PgError.fatal("08006", "the server behind the emulator cannot be reached"));
                }
            }
        });
    }

    private void handOver(ChannelHandlerContext context, ClientSession session) {
        upstream = null;
        emulation.admission.accepted();
        beginSession(context, session.client, Frames.LONGEST_MESSAGE);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (upstream != null) {
            upstream.close();
        }
        super.channelInactive(context);
    }
}
