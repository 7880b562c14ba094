package dev.reservoir.emulator.internal.conflict;

import java.util.ArrayList;
import java.util.List;

/** What a transaction has done since its savepoint, so that it can be done again. Bounded: one that did more cannot. */
public final class StatementLog {
    /** DSQL allows 3,000 changed rows; the rest is room for reading. */
    private static final int MOST_STATEMENTS = 10_000;

    /** DSQL allows 10 MiB of changes. */
    private static final long MOST_BYTES = 16 << 20;

    /**
     * A statement that has ended well.
     *
     * @param call what was asked for
     * @param digest what was answered
     */
    record Entry(Call call, long digest) {}

    private final List<Entry> entries = new ArrayList<>();
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

    /** Something was done that is not kept. */
    public void cannotBeRepeated() {
        complete = false;
        entries.clear();
    }

    public boolean isComplete() {
        return complete;
    }

    int size() {
        return entries.size();
    }

    Entry get(int index) {
        return entries.get(index);
    }
}
