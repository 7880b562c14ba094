package dev.reservoir.emulator.internal.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import java.util.List;

/** Splits a stream into whole messages, each with type and length. Never looks into them. */
public final class FrameDecoder extends ByteToMessageDecoder {
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (in.readableBytes() < Wire.HEADER) {
            return;
        }
        int length = in.getInt(in.readerIndex() + 1);
        if (length < 4 || length > Wire.LONGEST_MESSAGE) {
            throw new CorruptedFrameException("message length " + length + "; allowed: 4 to " + Wire.LONGEST_MESSAGE);
        }
        if (in.readableBytes() > length) {
            out.add(in.readRetainedSlice(length + 1));
        }
    }
}
