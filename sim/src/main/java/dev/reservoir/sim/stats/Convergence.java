package dev.reservoir.sim.stats;

/** Determines when all services first had their target and kept it for long enough. */
public final class Convergence {
    private final int services;
    private final long stableForNanos;
    private int atTarget;
    private long sinceNanos = -1;
    private long convergedNanos = -1;

    public Convergence(int services, long stableForNanos) {
        this.services = services;
        this.stableForNanos = stableForNanos;
    }

    /** Called when one more service has its target, or one fewer. */
    public void changed(boolean hasTarget, long nowNanos) {
        if (hasTarget) {
            if (++atTarget == services) {
                sinceNanos = nowNanos;
            }
        } else {
            look(nowNanos);
            atTarget--;
            sinceNanos = -1;
        }
    }

    private void look(long nowNanos) {
        if (convergedNanos < 0 && sinceNanos >= 0 && nowNanos - sinceNanos >= stableForNanos) {
            convergedNanos = sinceNanos;
        }
    }

    /**
     * The time from which all services had their target, for the first time that they kept it long enough; -1 if that
     * has not happened yet.
     */
    public long atNanos(long nowNanos) {
        look(nowNanos);
        return convergedNanos;
    }
}
