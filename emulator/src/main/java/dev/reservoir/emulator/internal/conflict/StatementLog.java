package dev.reservoir.emulator.internal.conflict;

import java.util.ArrayList;
import java.util.List;

/**
 * The statements of a transaction since its savepoint, so that it can be repeated. Bounded: a transaction beyond the
 * bounds cannot be repeated.
 */
public final class StatementLog {
    /** Most statements kept. DSQL allows 3,000 changed rows; the rest leaves room for reads. */
    private static final int MOST_STATEMENTS = 10_000;

    /** Most bytes kept. DSQL allows 10 MiB of changes. */
    private static final long MOST_BYTES = 16 << 20;

    /**
     * A statement that succeeded.
     *
     * @param call the call
     * @param digest the digest of its answer
     */
    record Entry(Call call, long digest) {}

    final List<Entry> entries = new ArrayList<>();
    private long bytes;
    private boolean complete = true;

    public void add(Call call, long digest) {
        bytes += call.bytes();
        if (entries.size() >= MOST_STATEMENTS || bytes > MOST_BYTES) {
            cannotBeRepeated();
        }
        if (complete) {
            entries.add(new Entry(call, digest));
        }
    }

    /** The transaction has done something that the log does not hold. */
    public void cannotBeRepeated() {
        complete = false;
        entries.clear();
    }

    public boolean isComplete() {
        return complete;
    }
}
