package dev.reservoir.emulator.internal.conflict;

import dev.reservoir.pgwire.message.Frames;
import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * Finds out whether two runs of a statement gave the same answer. Ignores the order of the rows. Not for use by several
 * threads.
 */
public final class RowDigest {
    /** Spreads the bits of a checksum, so that the sums of different rows differ. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final CRC32C checksum = new CRC32C();
    private long sum;

    public void clear() {
        sum = 0;
    }

    public void row(ByteBuf frame) {
        checksum.reset();
        checksum.update(Frames.body(frame).nioBuffer());
        long spread = (checksum.getValue() + 1) * SPREAD;
        sum += spread ^ (spread >>> 29);
    }

    /** The digest of an answer that ended with this command tag. */
    public long ended(String tag) {
        return sum * 31 + tag.hashCode();
    }
}
