package dev.reservoir.emulator.internal.http;

import dev.reservoir.emulator.internal.gateway.Emulation;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves counters, limits and faults over HTTP. Decodes requests and encodes answers. Leaves the content to
 * {@link HttpAnswers}.
 */
public final class HttpRequestHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpRequestHandler.class);
    private static final int LONGEST_BODY = 64 << 10;
    private static final Pattern HERE = Pattern.compile("(127\\.0\\.0\\.1|localhost|\\[::1])(:\\d+)?");

    private final HttpAnswers answers;

    private HttpRequestHandler(HttpAnswers answers) {
        this.answers = answers;
    }

    public static void install(ChannelPipeline pipeline, Emulation emulation) {
        pipeline.addLast(
                new HttpServerCodec(),
                new HttpObjectAggregator(LONGEST_BODY),
                new HttpRequestHandler(new HttpAnswers(emulation)));
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the channel closes if the write fails
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        HttpAnswers.Answer answer = isFromAPage(request)
                ? HttpAnswers.refusedToPages()
                : answers.answer(
                        request.method().name(),
                        request.uri(),
                        request.content().toString(StandardCharsets.UTF_8));
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(answer.status()),
                Unpooled.copiedBuffer(answer.body() + "\n", StandardCharsets.UTF_8));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        HttpUtil.setContentLength(response, response.content().readableBytes());
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        HttpUtil.setKeepAlive(response, keepAlive);
        var written = context.writeAndFlush(response);
        if (!keepAlive) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    /**
     * Whether a browser sends the request for a web page. Such a request has an Origin header, or its Host header does
     * not name this machine. A web page must not be able to switch faults on.
     */
    private static boolean isFromAPage(FullHttpRequest request) {
        String host = request.headers().get(HttpHeaderNames.HOST, "");
        return request.headers().contains(HttpHeaderNames.ORIGIN)
                || !HERE.matcher(host).matches();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the client is gone
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("An HTTP connection ends: {}", cause.toString());
        context.close();
    }
}
