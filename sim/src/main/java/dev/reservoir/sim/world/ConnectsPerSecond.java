package dev.reservoir.sim.world;

import dev.reservoir.sim.result.Outcome.Second;
import java.util.ArrayList;
import java.util.List;

/** Counts the connects, refusals and closes that the database sees in each second. */
final class ConnectsPerSecond {
    private static final long SECOND = 1_000_000_000L;

    private final List<Second> done = new ArrayList<>();
    private long current;
    private int connects;
    private int refusedByRate;
    private int refusedByCap;
    private int closures;
    private int openMost;
    private int open;

    void connect(long nowNanos) {
        turnTo(nowNanos);
        connects++;
    }

    void refusedByRate(long nowNanos) {
        turnTo(nowNanos);
        refusedByRate++;
    }

    void refusedByCap(long nowNanos) {
        turnTo(nowNanos);
        refusedByCap++;
    }

    void opened(long nowNanos) {
        turnTo(nowNanos);
        open++;
        openMost = Math.max(openMost, open);
    }

    void closed(long nowNanos) {
        turnTo(nowNanos);
        open--;
        closures++;
    }

    int open() {
        return open;
    }

    /** All seconds up to now, including one that has begun. */
    List<Second> upTo(long nowNanos) {
        turnTo(nowNanos);
        if (nowNanos > current * SECOND) {
            turnTo((current + 1) * SECOND);
        }
        return List.copyOf(done);
    }

    private void turnTo(long nowNanos) {
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
