package dev.reservoir.cli;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Text;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Shows a reservoir's numbers: as a picture that is drawn over itself, or as one line each time. */
final class Screen {
    private static final int LINES = 6;
    private static final String GREEN = "\033[32m";
    private static final String YELLOW = "\033[33m";
    private static final String BLUE = "\033[34m";
    private static final String DIM = "\033[2m";
    private static final String PLAIN = "\033[0m";

    private final PrintStream out;
    private final boolean plain;
    private final int connections;
    private final int ratePerSecond;
    private boolean drawn;
    private long lastNanos;
    private final ArrayDeque<long[]> lastSecond = new ArrayDeque<>();
    private long lastQueries;
    private int leastOpen = Integer.MAX_VALUE;
    private boolean wasFull;

    Screen(PrintStream out, boolean plain, int connections, int ratePerSecond) {
        this.out = out;
        this.plain = plain;
        this.connections = connections;
        this.ratePerSecond = ratePerSecond;
    }

    void show(Stats stats, long queries, long errors, long elapsedNanos) {
        double seconds = Math.max(1e-3, (elapsedNanos - lastNanos) / 1e9);
        double connects = connectsPerSecond(stats.opened(), elapsedNanos);
        double throughput = (queries - lastQueries) / seconds;
        lastNanos = elapsedNanos;
        lastQueries = queries;
        wasFull |= stats.open() >= connections;
        if (wasFull) {
            leastOpen = Math.min(leastOpen, stats.open());
        }
        if (plain) {
            out.printf(
                    Locale.ROOT,
                    "%5.1f s  open %2d of %d (ready %2d, lent %2d), opening %2d, replaced %3d, opened %3d, %.0f queries/s,"
                            + " errors %d%n",
                    elapsedNanos / 1e9,
                    stats.open(),
                    connections,
                    stats.ready(),
                    stats.lent(),
                    stats.opening(),
                    discarded(stats),
                    stats.opened(),
                    throughput,
                    errors);
        } else {
            draw(stats, elapsedNanos, connects, throughput, errors);
        }
    }

    /** Over the last second or so, since a shorter look would show the burst and not the rate. */
    private double connectsPerSecond(long opened, long elapsedNanos) {
        lastSecond.add(new long[] {elapsedNanos, opened});
        while (lastSecond.size() > 2 && elapsedNanos - lastSecond.getFirst()[0] > 1_200_000_000L) {
            lastSecond.removeFirst();
        }
        long[] first = lastSecond.getFirst();
        return elapsedNanos == first[0] ? 0 : (opened - first[1]) * 1e9 / (elapsedNanos - first[0]);
    }

    private void draw(Stats stats, long elapsedNanos, double connects, double throughput, long errors) {
        if (drawn) {
            out.print("\033[" + LINES + "A");
        }
        drawn = true;
        int opening = Math.min(stats.opening(), Math.max(0, connections + connections / 10 - stats.open()));
        line(
                "  %s%s%s%s%s%s%s",
                GREEN, "#".repeat(stats.ready()), YELLOW, "#".repeat(stats.lent()), BLUE, ".".repeat(opening), PLAIN);
        line(
                "  %sready %2d%s   %slent %2d%s   %sopening %2d%s   of %d   at %.1f s",
                GREEN,
                stats.ready(),
                PLAIN,
                YELLOW,
                stats.lent(),
                PLAIN,
                BLUE,
                stats.opening(),
                PLAIN,
                connections,
                elapsedNanos / 1e9);
        line(
                "  connects %5.1f/s (limit %d/s)   opened %d   replaced %d",
                connects, ratePerSecond, stats.opened(), discarded(stats));
        line(
                "  queries %,.0f/s   errors %d   least open since full %s",
                throughput, errors, wasFull ? "" + leastOpen : "-");
        line(
                "  waits: %d of %d checkouts, p99 of all %s",
                stats.waitTime().count(),
                stats.checkouts(),
                Text.nanos(stats.checkoutTime().p99Nanos()));
        line("  %s%s%s", DIM, reasons(stats.discards()), PLAIN);
    }

    private void line(String format, Object... args) {
        out.print("\033[2K");
        out.printf(Locale.ROOT, format + "%n", args);
    }

    void summary(Stats stats, long queries, long errors) {
        out.println();
        out.printf(
                Locale.ROOT,
                "%,d queries, %d errors. Opened %d, replaced %d (%s). Least open after the first fill: %s of %d.%n",
                queries,
                errors,
                stats.opened(),
                discarded(stats),
                reasons(stats.discards()),
                wasFull ? "" + leastOpen : "never full",
                connections);
    }

    private static long discarded(Stats stats) {
        return stats.discards().values().stream().mapToLong(Long::longValue).sum();
    }

    private static String reasons(Map<DiscardReason, Long> discards) {
        return discards.isEmpty()
                ? "none discarded yet"
                : discards.entrySet().stream()
                        .map(e -> e.getKey().label() + " " + e.getValue())
                        .sorted()
                        .collect(Collectors.joining(", "));
    }
}
