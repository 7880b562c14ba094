package dev.reservoir.cli.console;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A progress bar on one line of a terminal, which is redrawn in place and removed at the end. Never writes if the
 * output is not a terminal.
 */
public final class ProgressBar implements AutoCloseable {
    private static final int WIDTH = 30;
    private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final String CLEAR = "\r\033[2K";

    private final PrintStream out;
    private final boolean shown;
    private final long begunNanos = System.nanoTime();
    private long drawnNanos = begunNanos;
    private boolean drawn;

    public ProgressBar(Console console) {
        this.out = console.out();
        this.shown = console.terminal();
    }

    /** Shows how much of a simulation is done. */
    public void simulated(String what, long simulatedNanos, long ofNanos) {
        if (isDue()) {
            double realNanos = Math.max(1, System.nanoTime() - begunNanos);
            draw(
                    what,
                    (double) simulatedNanos / ofNanos,
                    String.format(
                            Locale.ROOT,
                            "%s of %s  %,.0f x real time",
                            clock(simulatedNanos),
                            clock(ofNanos),
                            simulatedNanos / realNanos));
        }
    }

    /** Shows how many of a number of things are done. Any thread may call it. */
    public synchronized void counted(String what, int done, long of) {
        if (isDue()) {
            draw(what, (double) done / of, String.format(Locale.ROOT, "%,d of %,d", done, of));
        }
    }

    private boolean isDue() {
        return shown && System.nanoTime() - drawnNanos >= REDRAW_NANOS;
    }

    private void draw(String what, double share, String tail) {
        drawnNanos = System.nanoTime();
        drawn = true;
        int full = (int) Math.round(WIDTH * Math.min(1, share));
        out.print(CLEAR + what + "  [" + "#".repeat(full) + ".".repeat(WIDTH - full) + "]  " + tail);
        out.flush();
    }

    private static String clock(long nanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
        return seconds >= 3600
                ? String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
                : String.format(Locale.ROOT, "%02d:%02d", seconds / 60, seconds % 60);
    }

    @Override
    public synchronized void close() {
        if (drawn) {
            out.print(CLEAR);
            out.flush();
            drawn = false;
        }
    }
}
