package dev.reservoir.bench.report;

import static dev.reservoir.bench.pools.PoolKind.AGROAL;
import static dev.reservoir.bench.pools.PoolKind.HIKARICP;

import dev.reservoir.bench.pools.PoolKind;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bar for a value of Reservoir: a multiple of a peer's value from the same run, or a number.
 *
 * @param better HIGHER if Reservoir's value must be at least the limit, LOWER if at most
 * @param peer the pool whose value is multiplied, or null if {@code factor} is the limit itself
 * @param factor the multiple, or the limit
 * @param setting the beginning of the settings that it applies to
 */
record Bar(Better better, @Nullable PoolKind peer, double factor, String setting) {

    private static final double SECOND = 1e9;
    private static final List<Bar> NONE_ALLOWED = List.of(atMost(0));
    private static final List<Bar> AHEAD = List.of(atLeast(1, HIKARICP), atLeast(1, AGROAL));
    private static final List<Bar> SOONER = List.of(atMost(1, HIKARICP), atMost(1, AGROAL));

    /** Like SOONER, with a margin for times of some milliseconds, which vary by a quarter from run to run. */
    private static final List<Bar> NO_LATER = List.of(atMost(1.25, HIKARICP), atMost(1.25, AGROAL));

    private static final String CONTENDED = "32 platform threads, pool 8, hold 0 us";

    /**
     * The bars by benchmark and metric. The time for a rationed fill is the time that the limiter requires, plus one
     * handshake, plus 1 % for the clock. The time for a fleet of processes is what the limiter requires plus a tenth.
     */
    private static final Map<String, List<Bar>> ALL = Map.ofEntries(
            Map.entry("checkout/throughput", List.of(atLeast(2, HIKARICP), atLeast(1.5, AGROAL))),
            Map.entry("checkout/allocated", List.of(atMost(56))),
            Map.entry(
                    "contended/throughput",
                    List.of(
                            atLeast(1.25, HIKARICP).in(CONTENDED),
                            atLeast(1.25, AGROAL).in(CONTENDED))),
            Map.entry("statement/throughput", AHEAD),
            Map.entry("loop/throughput", AHEAD),
            Map.entry("loop/never served", NONE_ALLOWED),
            Map.entry("loop/p99.9 by fair wait", List.of(atMost(3))),
            Map.entry("requests/throughput", AHEAD),
            Map.entry("requests/wait p99.9", SOONER),
            Map.entry("scan/median", List.of(atMost(0.01 * SECOND))),
            Map.entry("idle pools/threads", List.of(atMost(50))),
            Map.entry("idle pools/heap of each", List.of(atMost(50_000))),
            Map.entry("registry/processor time by the JDBC door's", List.of(atMost(1.3))),
            Map.entry("registry idle/threads", List.of(atMost(50))),
            Map.entry("registry idle/heap of each", List.of(atMost(50_000))),
            Map.entry("registry recovery/failed requests", List.of(atMost(1, HIKARICP))),
            Map.entry("registry recovery/until all users are served, median", List.of(atMost(1, HIKARICP))),
            Map.entry("flight/throughput", List.of(atLeast(1, HIKARICP))),
            Map.entry(
                    "flight/throughput by one client's",
                    List.of(
                            atLeast(1.6).in("2 connections"),
                            atLeast(3.2).in("4 connections"),
                            atLeast(6.4).in("8 connections"))),
            Map.entry("flight call/call by a raw client's", List.of(atMost(1.05))),
            Map.entry("flight stream/Arrow memory, peak", List.of(atMost(64 << 20))),
            Map.entry("flight stream/heap, peak with garbage", List.of(atMost(256 << 20))),
            Map.entry("flight async/threads beyond those before", List.of(atMost(50))),
            Map.entry("flight async/failed", NONE_ALLOWED),
            Map.entry("fill/time to full", List.of(atMost(1.95 * SECOND))),
            Map.entry("fill/refused", NONE_ALLOWED),
            Map.entry("fleet/time to full", List.of(atMost(20.2 * SECOND))),
            Map.entry("fleet/refused", NONE_ALLOWED),
            Map.entry("fleet/failed starts", NONE_ALLOWED),
            Map.entry("fleet/most open", List.of(atMost(2_000))),
            Map.entry("expiry/fewest usable", List.of(atLeast(200))),
            Map.entry("expiry/refused", NONE_ALLOWED),
            Map.entry("expiry/failed acquires", NONE_ALLOWED),
            Map.entry("expiry/failed statements", NONE_ALLOWED),
            Map.entry("dsql fill/time to full", List.of(atMost(1, HIKARICP))),
            Map.entry("dsql fill/refused", NONE_ALLOWED),
            Map.entry("dsql expiry/request p99.9", List.of(atMost(1, HIKARICP))),
            Map.entry("dsql expiry/longest request", List.of(atMost(1, HIKARICP))),
            Map.entry("dsql expiry/failed requests", NONE_ALLOWED),
            Map.entry("dsql expiry/refused", NONE_ALLOWED),
            Map.entry("dsql drop/request p99.9", List.of(atMost(1, HIKARICP))),
            Map.entry("dsql drop/longest request", List.of(atMost(1, HIKARICP))),
            Map.entry("dsql drop/failed, begun after the drop", List.of(atMost(1, HIKARICP))),
            Map.entry("dsql drop/refused", NONE_ALLOWED),
            Map.entry("dsql load/time to full by ideal", List.of(atMost(1.1))),
            Map.entry("dsql load/refused", NONE_ALLOWED),
            Map.entry("trouble silent/lost of 20", SOONER),
            Map.entry("trouble silent/time to first served", List.of(atMost(5 * SECOND))),
            Map.entry("trouble busy/served", AHEAD),
            Map.entry("trouble busy/time to first served", List.of(atMost(10 * SECOND))),
            Map.entry("trouble idle/lost of 320", SOONER),
            Map.entry("trouble drop/lost, begun after the drop", SOONER),
            Map.entry("trouble drop/request p99.9 after", NO_LATER),
            Map.entry("trouble restart/lost", SOONER),
            Map.entry("trouble restart/time to first served, median", NO_LATER),
            Map.entry("trouble password/time until told", NO_LATER),
            Map.entry("trouble password/logins refused 10 s later", SOONER),
            Map.entry(
                    "cluster fill/item writes per connection opened and closed",
                    List.of(atMost(0.5).in("40 x 100"))),
            Map.entry(
                    "cluster fill/time to full",
                    List.of(
                            atMost(33 * SECOND).in("40 x 100"),
                            atMost(11 * SECOND).in("40 x 50"))),
            Map.entry("cluster fill/refused connects", NONE_ALLOWED),
            Map.entry("cluster fill/leases left over", NONE_ALLOWED),
            Map.entry("cluster permits/permits a second", List.of(atLeast(99))),
            Map.entry("cluster permits/writes a second of the permits' key", List.of(atMost(1_000))),
            Map.entry("cluster permits/writes of the permits' key in the busiest second", List.of(atMost(1_000))),
            Map.entry("cluster permits/refused connects", NONE_ALLOWED),
            Map.entry(
                    "cluster crash/until the leases are back, longest",
                    List.of(atMost(15 * SECOND).in("40 x 50"))),
            Map.entry(
                    "cluster start/first lease, longest",
                    List.of(atMost(5 * SECOND).in("1,000"))),
            Map.entry("cluster start/failed requests", List.of(atMost(0).in("1,000"))),
            Map.entry("cluster idle/dollars a month", List.of(atMost(150).in("1,000"))),
            Map.entry("cluster outage/calm after", List.of(atMost(10 * SECOND).in("1,000"))),
            Map.entry(
                    "cluster outage/processes declared dead", List.of(atMost(0).in("1,000"))),
            Map.entry(
                    "cluster outage/leases held beyond the limit",
                    List.of(atMost(0).in("1,000"))));

    static List<Bar> of(String benchmark, String setting, String metric) {
        return ALL.getOrDefault(benchmark + "/" + metric, List.of()).stream()
                .filter(bar -> setting.startsWith(bar.setting))
                .toList();
    }

    /**
     * The bar and whether Reservoir meets it, or a note that the peer was not measured. A number as the bar is followed
     * by the value divided by it.
     *
     * @param values the value of each contender by its title
     */
    String judge(Unit unit, double ours, Map<String, Double> values) {
        Double peerValue = peer == null ? Double.valueOf(1) : values.get(peer.title());
        String text = (better == Better.HIGHER ? "≥ " : "≤ ")
                + (peer == null ? unit.format(factor) : Unit.decimals(factor) + " × " + peer.title());
        if (peerValue == null) {
            return text + ": not measured";
        }
        double limit = factor * peerValue;
        boolean met = better == Better.HIGHER ? ours >= limit : ours <= limit;
        String ratio =
                peer != null || limit == 0 || Double.isInfinite(ours) ? "" : " (" + Unit.decimals(ours / limit) + "×)";
        return text + (met ? ": met" : ": **missed**") + ratio;
    }

    private Bar in(String beginning) {
        return new Bar(better, peer, factor, beginning);
    }

    private static Bar atLeast(double factor, PoolKind peer) {
        return new Bar(Better.HIGHER, peer, factor, "");
    }

    private static Bar atMost(double factor, PoolKind peer) {
        return new Bar(Better.LOWER, peer, factor, "");
    }

    private static Bar atLeast(double limit) {
        return new Bar(Better.HIGHER, null, limit, "");
    }

    private static Bar atMost(double limit) {
        return new Bar(Better.LOWER, null, limit, "");
    }
}
