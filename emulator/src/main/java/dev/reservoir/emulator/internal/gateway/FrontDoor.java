package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.TokenCheck;
import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.emulator.internal.upstream.Upstreams;
import dev.reservoir.emulator.internal.wire.FrameDecoder;
import dev.reservoir.emulator.internal.wire.Io;
import dev.reservoir.emulator.internal.wire.Problem;
import dev.reservoir.emulator.internal.wire.ProblemException;
import dev.reservoir.emulator.internal.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SniCompletionEvent;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection from its first byte until it is a {@link ClientSession}. Handles TLS, the host name that the client
 * sends, the limits, the token and the database. Never reveals anything about the password.
 */
public final class FrontDoor extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(FrontDoor.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int TLS_HANDSHAKE = 0x16;
    private static final int LONGEST_STARTUP = 10_000;
    private static final int LONGEST_PASSWORD = 64 << 10;

    private enum Stage {
        STARTUP,
        PASSWORD,
        OPENING
    }

    private final Emulation emulation;
    private final Upstreams upstreams;
    private final SslContext tls;

    private Stage stage = Stage.STARTUP;
    private boolean encrypting;
    private boolean encrypted;
    private @Nullable String namedHost;
    private Map<String, String> startup = Map.of();
    private @Nullable Upstream upstream;

    public FrontDoor(Emulation emulation, Upstreams upstreams, SslContext tls) {
        this.emulation = emulation;
        this.upstreams = upstreams;
        this.tls = tls;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Channel channel = context.channel();
        FaultState faults = emulation.faults;
        if (faults.refuse()) {
            Io.reset(channel);
            return;
        }
        Io.later(channel.eventLoop(), PATIENCE, () -> {
            if (!context.isRemoved()) {
                Io.close(channel);
            }
        });
        Duration delay = faults.delayConnects();
        if (faults.hangConnects()) {
            channel.config().setAutoRead(false);
        } else if (!delay.isZero()) {
            channel.config().setAutoRead(false);
            Io.later(channel.eventLoop(), delay, () -> channel.config().setAutoRead(true));
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SniCompletionEvent sni) {
            namedHost = sni.hostname();
        } else if (event instanceof SslHandshakeCompletionEvent handshake) {
            encrypted = handshake.isSuccess();
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        switch (stage) {
            case STARTUP -> startup(context, in);
            case PASSWORD -> password(context, in);
            case OPENING -> {
                // Bytes that arrive early wait for the session.
            }
        }
    }

    private void startup(ChannelHandlerContext context, ByteBuf in) {
        if (!encrypting && in.isReadable() && in.getUnsignedByte(in.readerIndex()) == TLS_HANDSHAKE) {
            // TLS from the first byte on: the bytes read so far belong to the handshake.
            ByteBuf handshake = in.readRetainedSlice(in.readableBytes());
            encrypt(context);
            context.pipeline().fireChannelRead(handshake);
            return;
        }
        if (in.readableBytes() < 8) {
            return;
        }
        int length = in.getInt(in.readerIndex());
        if (length < 8 || length > LONGEST_STARTUP) {
            Io.close(context.channel());
            return;
        }
        if (in.readableBytes() < length) {
            return;
        }
        ByteBuf packet = in.readSlice(length).skipBytes(4);
        int code = packet.readInt();
        switch (code) {
            case Wire.SSL_REQUEST -> sslRequest(context, in);
            case Wire.GSS_REQUEST ->
                Io.writeAndFlush(context.channel(), Unpooled.buffer(1).writeByte('N'));
            case Wire.CANCEL_REQUEST -> {
                upstreams.cancel(context.channel().eventLoop(), packet.readInt(), packet.readInt(), () -> {});
                Io.close(context.channel());
            }
            default -> begin(context, code, packet);
        }
    }

    private void sslRequest(ChannelHandlerContext context, ByteBuf in) {
        // Bytes sent in clear text after the request must not be taken for encrypted bytes.
        if (encrypting || in.isReadable()) {
            Io.close(context.channel());
            return;
        }
        Io.writeAndFlush(context.channel(), Unpooled.buffer(1).writeByte('S'));
        encrypt(context);
    }

    private void encrypt(ChannelHandlerContext context) {
        encrypting = true;
        context.pipeline().addFirst(new SniHandler(host -> tls));
    }

    private void begin(ChannelHandlerContext context, int code, ByteBuf packet) {
        Channel channel = context.channel();
        if (code >>> 16 != 3) {
            refuse(
                    channel,
                    Problem.fatal("0A000", "unsupported frontend protocol " + (code >>> 16) + "." + (code & 0xffff)));
            return;
        }
        Problem refusal = hostRefusal();
        if (refusal == null) {
            refusal = emulation.admission.enter(emulation.limits(), emulation.clock.instant());
            if (refusal == null) {
                Io.onClose(channel, emulation.admission::leave);
            }
        }
        if (refusal != null) {
            refuse(channel, refusal);
            return;
        }
        startup = parameters(channel, code, packet);
        if (emulation.tokenCheck.depth() == TokenCheck.Depth.OFF && !emulation.faults.refuseTokens()) {
            open(context);
        } else {
            stage = Stage.PASSWORD;
            Io.writeAndFlush(channel, Wire.cleartextPassword());
        }
    }

    private @Nullable Problem hostRefusal() {
        if (!encrypted) {
            return Problem.fatal("28000", "unable to accept connection, TLS is required");
        }
        String named = namedHost;
        if (named == null) {
            return emulation.sniRequired()
                    ? Problem.fatal("08006", "unable to accept connection, sni was not received")
                    : null;
        }
        return named.equalsIgnoreCase(emulation.host) ? null : emulation.tokens.denied();
    }

    private static Map<String, String> parameters(Channel channel, int code, ByteBuf packet) {
        Map<String, String> parameters = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        while (packet.isReadable()) {
            String name = Wire.text(packet);
            if (name.isEmpty()) {
                break;
            }
            String value = Wire.text(packet);
            if (name.startsWith("_pq_.")) {
                unknown.add(name);
            } else {
                parameters.put(name, value);
            }
        }
        if (code != Wire.PROTOCOL_3 || !unknown.isEmpty()) {
            Io.write(channel, Wire.negotiateProtocol(unknown));
        }
        return parameters;
    }

    private void password(ChannelHandlerContext context, ByteBuf in) {
        if (in.readableBytes() < Wire.HEADER) {
            return;
        }
        int length = in.getInt(in.readerIndex() + 1);
        if (in.getByte(in.readerIndex()) != 'p' || length < 4 || length > LONGEST_PASSWORD) {
            Io.close(context.channel());
            return;
        }
        if (in.readableBytes() <= length) {
            return;
        }
        String token = Wire.text(in.readSlice(length + 1).skipBytes(Wire.HEADER));
        Problem refusal = emulation.faults.refuseTokens()
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
            refuse(channel, Problem.fatal("3D000", "database \"" + database + "\" does not exist"));
            return;
        }
        stage = Stage.OPENING;
        channel.config().setAutoRead(false);
        upstreams.open(channel.eventLoop(), startup, new Upstreams.Opening() {
            @Override
            public Upstream.Listener opened(Upstream opened) {
                upstream = opened;
                ClientSession session = new ClientSession(emulation, channel, upstreams, opened);
                session.whenOpen(() -> handOver(context, session));
                if (!channel.isActive()) {
                    opened.close();
                }
                Io.write(channel, Wire.authenticationOk());
                return session;
            }

            @Override
            public void failed(Throwable cause) {
                if (cause instanceof ProblemException known) {
                    refuse(channel, known.problem());
                } else {
                    LOG.warn("The server behind the emulator cannot be reached: {}", cause.toString());
                    refuse(channel, Problem.fatal("08006", "the server behind the emulator cannot be reached"));
                }
            }
        });
    }

    private void handOver(ChannelHandlerContext context, ClientSession session) {
        upstream = null;
        emulation.admission.accepted();
        context.pipeline().addLast(session.handler());
        context.pipeline().replace(this, "frames", new FrameDecoder());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (upstream != null) {
            upstream.close();
        }
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("A connect ends: {}", cause.toString());
        Io.close(context.channel());
    }

    private static void refuse(Channel channel, Problem problem) {
        Io.writeAndClose(channel, problem.encode());
    }
}
