package dev.reservoir.demo.view;

import dev.reservoir.cluster.inspect.ClusterInspectionReport.Shares;
import dev.reservoir.demo.fault.FaultInjector;
import dev.reservoir.demo.fleet.EmulatedDatabase.Refused;
import dev.reservoir.demo.fleet.Latency;
import dev.reservoir.demo.fleet.Side;
import dev.reservoir.demo.fleet.WorkDone;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The results of a demo.
 *
 * @param seconds how long the services ran
 * @param sides Reservoir, then HikariCP
 * @param leases the lease counts at the end
 * @param events all events
 */
public record DemoSummary(double seconds, List<SideSummary> sides, Leases leases, List<FaultInjector.Event> events) {

    /**
     * The results of one side. A latency is null if no workflow was completed.
     *
     * @param undone workflows that arrived and neither completed nor failed, so that a side that stalls does not look
     *     better
     * @param fullAfterSeconds time until every service held as many connections as it is set to hold; null if that
     *     never happened
     */
    public record SideSummary(
            String name,
            long workflows,
            long failed,
            long undone,
            @Nullable Double p50Millis,
            @Nullable Double p99Millis,
            @Nullable Double p999Millis,
            @Nullable Double longestMillis,
            long connects,
            long refusedConnects,
            long refusedByRate,
            long refusedByCount,
            long refusedByToken,
            @Nullable Double fullAfterSeconds) {
        public SideSummary(
                String name,
                long workflows,
                long failed,
                long undone,
                Latency latency,
                Refused refused,
                long connects,
                @Nullable Double fullAfterSeconds) {
            this(
                    name,
                    workflows,
                    failed,
                    undone,
                    known(latency.p50Millis()),
                    known(latency.p99Millis()),
                    known(latency.p999Millis()),
                    known(latency.longestMillis()),
                    connects,
                    refused.total(),
                    refused.byRate(),
                    refused.byCount(),
                    refused.byToken(),
                    fullAfterSeconds);
        }
    }

    /**
     * The lease counts of the cluster.
     *
     * @param counted the total while the services held their connections
     * @param held the sum of what the services held
     * @param exact whether both agree
     * @param left the total after all services had left
     */
    public record Leases(long counted, long held, boolean exact, long left) {
        public Leases(long counted, long held, long left) {
            this(counted, held, counted == held, left);
        }
    }

    public static SideSummary of(Side side, @Nullable Double fullAfterSeconds) {
        WorkDone done = side.done();
        return new SideSummary(
                side.name(),
                done.completed(),
                done.failed(),
                done.undone(),
                done.latency(),
                side.database().refused(),
                side.database().accepted(),
                fullAfterSeconds);
    }

    private static @Nullable Double known(double millis) {
        return millis < 0 ? null : millis;
    }

    public static Leases leases(@Nullable Shares running, @Nullable Shares after) {
        return new Leases(
                running == null ? 0 : running.total(),
                running == null ? 0 : running.sum(),
                after == null ? 0 : after.total());
    }

    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT, "%-34s%16s%16s", String.format(Locale.ROOT, "In %.0f s", seconds), name(0), name(1)));
        row(lines, "workflows completed", side -> String.format(Locale.ROOT, "%,d", side.workflows));
        row(lines, "workflows failed", side -> String.format(Locale.ROOT, "%,d", side.failed));
        row(lines, "workflows not finished", side -> String.format(Locale.ROOT, "%,d", side.undone));
        row(lines, "latency, median", side -> NumberText.millis(side.p50Millis));
        row(lines, "latency, p99", side -> NumberText.millis(side.p99Millis));
        row(lines, "latency, p99.9", side -> NumberText.millis(side.p999Millis));
        row(lines, "latency, longest", side -> NumberText.millis(side.longestMillis));
        row(lines, "connects refused", side -> String.format(Locale.ROOT, "%,d", side.refusedConnects));
        row(lines, "connections opened", side -> String.format(Locale.ROOT, "%,d", side.connects));
        row(
                lines,
                "time until full",
                side -> side.fullAfterSeconds == null
                        ? "never"
                        : String.format(Locale.ROOT, "%.1f s", side.fullAfterSeconds));
        lines.add(String.format(
                Locale.ROOT,
                "Leases at the end: %d counted, %d held by the reservoirs (%s); %d when all had left.",
                leases.counted,
                leases.held,
                leases.exact ? "exact" : "not exact",
                leases.left));
        return lines;
    }

    private String name(int index) {
        return sides.get(index).name();
    }

    private void row(List<String> lines, String what, Function<SideSummary, String> value) {
        lines.add(String.format(
                Locale.ROOT, "  %-32s%16s%16s", what, value.apply(sides.get(0)), value.apply(sides.get(1))));
    }

    /** Returns the results as JSON. The order of the fields is fixed. Later versions may append fields. */
    public String json() {
        return JsonText.pretty(this);
    }
}
