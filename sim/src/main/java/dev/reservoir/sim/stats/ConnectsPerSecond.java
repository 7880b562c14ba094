package dev.reservoir.sim.stats;

import dev.reservoir.sim.result.Outcome.Second;
import java.util.ArrayList;
import java.util.List;

/** Counts the connects, refusals and closes that the database sees in each second. */
public final class ConnectsPerSecond {
    private static final long SECOND = 1_000_000_000L;

    private final List<Second> done = new ArrayList<>();
    private long current;
    private int connects;
    private int refusedByRate;
    private int refusedByCap;
    private int closures;
    private int openMost;
    private int open;

    public void connect(long nowNanos) {
        advanceTo(nowNanos);
        connects++;
    }

    public void refusedByRate(long nowNanos) {
        advanceTo(nowNanos);
        refusedByRate++;
    }

    public void refusedByCap(long nowNanos) {
        advanceTo(nowNanos);
        refusedByCap++;
    }

    public void opened(long nowNanos) {
        advanceTo(nowNanos);
        open++;
        openMost = Math.max(openMost, open);
    }

    public void closed(long nowNanos) {
        advanceTo(nowNanos);
        open--;
        closures++;
    }

    public int open() {
        return open;
    }

    /** All seconds up to now, including one that has begun. */
    public List<Second> upTo(long nowNanos) {
        advanceTo(nowNanos);
        if (nowNanos > current * SECOND) {
            advanceTo((current + 1) * SECOND);
        }
        return List.copyOf(done);
    }

    private void advanceTo(long nowNanos) {
        while (current < nowNanos / SECOND) {
            done.add(new Second(connects, refusedByRate, refusedByCap, closures, openMost));
            connects = 0;
            refusedByRate = 0;
            refusedByCap = 0;
            closures = 0;
            openMost = open;
            current++;
        }
    }
}
