package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.ClientInfo;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.auth.Scram;
import dev.reservoir.pgwire.auth.ScramServer;
import dev.reservoir.pgwire.channel.Channels;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.message.ServerMessages;
import dev.reservoir.pgwire.startup.StartupHandler;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslContext;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A connection until it is a {@link ServerSession}: the bounds on their number, TLS and the password. */
final class ServerStartup extends StartupHandler {
    private final ServerConfig config;
    private final Sessions sessions;
    private final Executor workers;

    private Map<String, String> parameters = Map.of();
    private @Nullable ScramServer scram;
    private boolean isFirstAnswer = true;

    ServerStartup(ServerConfig config, @Nullable SslContext tls, Sessions sessions, Executor workers) {
        super(tls, config.startupTimeout());
        this.config = config;
        this.sessions = sessions;
        this.workers = workers;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Channel channel = context.channel();
        Channel tooMany = sessions.connect(channel);
        Channels.onClose(channel, () -> sessions.disconnect(channel));
        if (tooMany != null) {
            Channels.close(tooMany);
        }
        super.channelActive(context);
    }

    @Override
    protected void onCancel(Channel channel, int processId, int secret) {
        sessions.cancel(processId, secret);
    }

    @Override
    protected @Nullable PgError refusal(Channel channel) {
        return config.tls() != null && !isEncrypted() ? PgError.fatal("28000", "TLS is required") : null;
    }

    private String user() {
        return parameters.getOrDefault("user", "");
    }

    @Override
    protected void onStartup(ChannelHandlerContext context, Map<String, String> startup) {
        parameters = startup;
        Channel channel = context.channel();
        if (user().isEmpty()) {
            refuse(channel, PgError.fatal("28000", "the startup message names no user"));
        } else if (config.users().isEmpty()) {
            open(context);
        } else {
            scram = config.users().exchange(user());
            request(channel, ServerMessages.sasl(Scram.MECHANISM));
        }
    }

    @Override
    protected void onAuthentication(ChannelHandlerContext context, ByteBuf body) {
        Channel channel = context.channel();
        ScramServer exchange = scram;
        if (exchange == null) {
            throw new IllegalStateException("bug: an answer to a request that was not sent");
        }
        if (isFirstAnswer) {
            isFirstAnswer = false;
            if (!Frames.text(body).equals(Scram.MECHANISM)) {
                refuse(channel, PgError.fatal("28000", "unknown SASL mechanism; allowed: " + Scram.MECHANISM));
                return;
            }
            // The length of the data, which is the rest of the message.
            body.skipBytes(4);
            request(channel, ServerMessages.saslContinue(exchange.first(body.toString(StandardCharsets.UTF_8))));
            return;
        }
        String answer = exchange.last(body.toString(StandardCharsets.UTF_8));
        if (answer == null) {
            refuse(channel, PgError.fatal("28P01", "password authentication failed for user \"" + user() + "\""));
        } else {
            Channels.write(channel, ServerMessages.saslFinal(answer));
            open(context);
        }
    }

    private void open(ChannelHandlerContext context) {
        Channel channel = context.channel();
        if (!channel.isActive()) {
            return;
        }
        PgError refusal = sessions.enter(channel);
        if (refusal != null) {
            refuse(channel, refusal);
            return;
        }
        ServerSession opening = new ServerSession(config, channel, sessions, workers);
        Channels.onClose(channel, opening::closed);
        pause(channel);
        Channels.writeAndFlush(channel, ServerMessages.authenticationOk());
        String database = parameters.getOrDefault("database", user());
        opening.open(
                new ClientInfo(user(), database, Map.copyOf(parameters)),
                () -> beginSession(context, opening, config.maxMessageBytes()));
    }
}
