package dev.reservoir.pgwire.startup;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.channel.Channels;
import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.FrameDecoder;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.message.ServerMessages;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SniCompletionEvent;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of a connection from its first byte until its session begins: TLS, cancel requests, the startup
 * message and the authentication. A subclass decides who is admitted and what the session is. Closes a connection that
 * takes too long.
 *
 * <p>The calls come in this order, all on the connection's event loop: {@link #refusal}, {@link #onStartup}, then
 * {@link #onAuthentication} for each answer to a request that the subclass sends by {@link #request}. The subclass ends
 * the startup by {@link #beginSession} or {@link #refuse}.
 */
public abstract class StartupHandler extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(StartupHandler.class);
    private static final int TLS_HANDSHAKE = 0x16;

    /** Longest startup message. PostgreSQL has the same limit. */
    private static final int LONGEST_STARTUP = 10_000;

    /** Longest message of an authentication. PostgreSQL has the same limit. */
    private static final int LONGEST_AUTHENTICATION = 64 << 10;

    private enum Stage {
        STARTUP,
        AUTHENTICATION,
        /** The session is not open yet. Bytes that arrive early wait for it. */
        OPENING,
        /** The connection is being closed. What the client still sends is dropped. */
        REFUSED
    }

    private final @Nullable SslContext tls;
    private final Duration timeout;

    private Stage stage = Stage.STARTUP;
    private boolean encrypting;

    /** The requests for encryption so far, by their codes. A client may send each once, so the answers are few. */
    private final Set<Integer> encryptionRequests = new HashSet<>();

    private boolean encrypted;
    private @Nullable String serverName;

    /**
     * A startup.
     *
     * @param tls what TLS needs, or null if the server has no TLS
     * @param timeout longest time from the first byte to the session
     */
    protected StartupHandler(@Nullable SslContext tls, Duration timeout) {
        this.tls = tls;
        this.timeout = timeout;
    }

    // What a subclass decides.

    /** The reason to refuse a client before its parameters are read, or null to go on. */
    protected abstract @Nullable PgError refusal(Channel channel);

    /** Receives the parameters of the startup message. */
    protected abstract void onStartup(ChannelHandlerContext context, Map<String, String> parameters);

    /** Receives the body of a message that answers a {@link #request}. */
    protected abstract void onAuthentication(ChannelHandlerContext context, ByteBuf body);

    /** Receives a cancel request. The connection is closed after it. */
    protected abstract void onCancel(Channel channel, int processId, int secret);

    // What a subclass may do.

    protected final boolean isEncrypted() {
        return encrypted;
    }

    /** The host name that the client named in the TLS handshake (SNI), or null. */
    protected final @Nullable String serverName() {
        return serverName;
    }

    /** Sends a request of the authentication and waits for its answer. */
    protected final void request(Channel channel, ByteBuf message) {
        stage = Stage.AUTHENTICATION;
        Channels.writeAndFlush(channel, message);
    }

    /** Reads nothing more from the client until its session begins. */
    protected final void pause(Channel channel) {
        stage = Stage.OPENING;
        channel.config().setAutoRead(false);
    }

    /** Gives the connection to the handler of its session, which gets whole messages. */
    protected final void beginSession(ChannelHandlerContext context, ChannelHandler session, int longestMessage) {
        context.pipeline().addLast(session);
        context.pipeline().replace(this, "frames", new FrameDecoder(longestMessage));
    }

    protected final void refuse(Channel channel, PgError error) {
        stage = Stage.REFUSED;
        Channels.writeAndClose(channel, ServerMessages.error(error));
    }

    // The startup itself.

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Channel channel = context.channel();
        Channels.later(channel, timeout, () -> {
            if (!context.isRemoved()) {
                Channels.close(channel);
            }
        });
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SniCompletionEvent sni) {
            serverName = sni.hostname();
        } else if (event instanceof SslHandshakeCompletionEvent handshake) {
            encrypted = handshake.isSuccess();
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    protected final void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        switch (stage) {
            case STARTUP -> startup(context, in);
            case AUTHENTICATION -> authentication(context, in);
            case OPENING -> {
                // See Stage.OPENING.
            }
            case REFUSED -> in.skipBytes(in.readableBytes());
        }
    }

    private void startup(ChannelHandlerContext context, ByteBuf in) {
        if (tls != null && !encrypting && in.isReadable() && in.getUnsignedByte(in.readerIndex()) == TLS_HANDSHAKE) {
            // TLS from the first byte on: the bytes read so far belong to the handshake.
            ByteBuf handshake = in.readRetainedSlice(in.readableBytes());
            encrypt(context, tls);
            context.pipeline().fireChannelRead(handshake);
            return;
        }
        if (in.readableBytes() < 8) {
            return;
        }
        int length = in.getInt(in.readerIndex());
        if (length < 8 || length > LONGEST_STARTUP) {
            Channels.close(context.channel());
            return;
        }
        if (in.readableBytes() < length) {
            return;
        }
        ByteBuf packet = in.readSlice(length).skipBytes(4);
        int code = packet.readInt();
        switch (code) {
            case ClientMessages.SSL_REQUEST, ClientMessages.GSS_REQUEST -> encryptionRequest(context, code, in);
            case ClientMessages.CANCEL_REQUEST -> {
                onCancel(context.channel(), packet.readInt(), packet.readInt());
                Channels.close(context.channel());
            }
            default -> begin(context, code, packet);
        }
    }

    private void encryptionRequest(ChannelHandlerContext context, int code, ByteBuf in) {
        // Bytes sent in clear text after the request must not be taken for encrypted bytes.
        if (encrypting || in.isReadable() || !encryptionRequests.add(code)) {
            Channels.close(context.channel());
        } else if (tls == null || code == ClientMessages.GSS_REQUEST) {
            Channels.writeAndFlush(context.channel(), ServerMessages.encryptionAnswer('N'));
        } else {
            Channels.writeAndFlush(context.channel(), ServerMessages.encryptionAnswer('S'));
            encrypt(context, tls);
        }
    }

    private void encrypt(ChannelHandlerContext context, SslContext encryption) {
        encrypting = true;
        context.pipeline().addFirst(new SniHandler(host -> encryption));
    }

    private void begin(ChannelHandlerContext context, int code, ByteBuf packet) {
        Channel channel = context.channel();
        if (code >>> 16 != 3) {
            refuse(
                    channel,
                    PgError.fatal("0A000", "unsupported frontend protocol " + (code >>> 16) + "." + (code & 0xffff)));
            return;
        }
        PgError refusal = refusal(channel);
        if (refusal == null) {
            onStartup(context, parameters(channel, code, packet));
        } else {
            refuse(channel, refusal);
        }
    }

    private static Map<String, String> parameters(Channel channel, int code, ByteBuf packet) {
        Map<String, String> parameters = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        while (packet.isReadable()) {
            String name = Frames.text(packet);
            if (name.isEmpty()) {
                break;
            }
            String value = Frames.text(packet);
            if (name.startsWith("_pq_.")) {
                unknown.add(name);
            } else {
                parameters.put(name, value);
            }
        }
        if (code != ClientMessages.PROTOCOL_3 || !unknown.isEmpty()) {
            Channels.write(channel, ServerMessages.negotiateProtocol(unknown));
        }
        return parameters;
    }

    private void authentication(ChannelHandlerContext context, ByteBuf in) {
        if (in.readableBytes() < Frames.HEADER) {
            return;
        }
        int length = in.getInt(in.readerIndex() + 1);
        if (in.getByte(in.readerIndex()) != 'p' || length < 4 || length > LONGEST_AUTHENTICATION) {
            Channels.close(context.channel());
        } else if (in.readableBytes() > length) {
            onAuthentication(context, in.readSlice(length + 1).skipBytes(Frames.HEADER));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("A connect ends: {}", cause.toString());
        Channels.close(context.channel());
    }
}
