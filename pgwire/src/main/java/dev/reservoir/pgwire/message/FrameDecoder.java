package dev.reservoir.pgwire.message;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import java.util.List;

/** Splits a stream into whole messages, each with type and length. Never looks into them. */
public final class FrameDecoder extends ByteToMessageDecoder {
    private final int longest;

    /** Accepts messages up to this length, without the byte for the type. */
    public FrameDecoder(int longest) {
        this.longest = longest;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (in.readableBytes() < Frames.HEADER) {
            return;
        }
        int length = in.getInt(in.readerIndex() + 1);
        if (length < 4 || length > longest) {
            throw new CorruptedFrameException("message length " + length + "; allowed: 4 to " + longest);
        }
        if (in.readableBytes() > length) {
            out.add(in.readRetainedSlice(length + 1));
        }
    }
}
