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
    private static final Bar[] AHEAD = {atLeast(1, HIKARICP), atLeast(1, AGROAL)};
    private static final Bar[] SOONER = {atMost(1, HIKARICP), atMost(1, AGROAL)};

    /** Like SOONER, with a margin for times of some milliseconds, which vary by a quarter from run to run. */
    private static final Bar[] NO_LATER = {atMost(1.25, HIKARICP), atMost(1.25, AGROAL)};

    private static final String CONTENDED = "32 platform threads, pool 8, hold 0 us";

    /**
     * The bars by benchmark and metric. The time for a rationed fill is the time that the limiter requires, plus one
     * handshake, plus 1 % for the clock. The time for a fleet of processes is what the limiter requires plus a tenth.
     */
    private static final Map<String, List<Bar>> ALL = Map.ofEntries(
            bars("checkout/throughput", atLeast(2, HIKARICP), atLeast(1.5, AGROAL)),
            bars("checkout/allocated", atMost(56)),
            bars(
                    "contended/throughput",
                    atLeast(1.25, HIKARICP).in(CONTENDED),
                    atLeast(1.25, AGROAL).in(CONTENDED)),
            bars("statement/throughput", AHEAD),
            bars("loop/throughput", AHEAD),
            bars("loop/never served", atMost(0)),
            bars("loop/p99.9 by fair wait", atMost(3)),
            bars("requests/throughput", AHEAD),
            bars("requests/wait p99.9", SOONER),
            bars("scan/median", atMost(0.01 * SECOND)),
            bars("idle pools/threads", atMost(50)),
            bars("idle pools/heap of each", atMost(50_000)),
            bars("registry/processor time by the JDBC door's", atMost(1.3)),
            bars("registry idle/threads", atMost(50)),
            bars("registry idle/heap of each", atMost(50_000)),
            bars("registry recovery/failed requests", atMost(1, HIKARICP)),
            bars("registry recovery/until all users are served, median", atMost(1, HIKARICP)),
            bars("flight/throughput", atLeast(1, HIKARICP)),
            bars(
                    "flight/throughput by one client's",
                    atLeast(1.6).in("2 connections"),
                    atLeast(3.2).in("4 connections"),
                    atLeast(6.4).in("8 connections")),
            bars("flight call/call by a raw client's", atMost(1.05)),
            bars("flight stream/Arrow memory, peak", atMost(64 << 20)),
            bars("flight stream/heap, peak with garbage", atMost(256 << 20)),
            bars("flight async/threads beyond those before", atMost(50)),
            bars("flight async/failed", atMost(0)),
            bars("fill/time to full", atMost(1.95 * SECOND)),
            bars("fill/refused", atMost(0)),
            bars("fleet/time to full", atMost(20.2 * SECOND)),
            bars("fleet/refused", atMost(0)),
            bars("fleet/failed starts", atMost(0)),
            bars("fleet/most open", atMost(2_000)),
            bars("expiry/fewest usable", atLeast(200)),
            bars("expiry/refused", atMost(0)),
            bars("expiry/failed acquires", atMost(0)),
            bars("expiry/failed statements", atMost(0)),
            bars("dsql fill/time to full", atMost(1, HIKARICP)),
            bars("dsql fill/refused", atMost(0)),
            bars("dsql expiry/request p99.9", atMost(1, HIKARICP)),
            bars("dsql expiry/longest request", atMost(1, HIKARICP)),
            bars("dsql expiry/failed requests", atMost(0)),
            bars("dsql expiry/refused", atMost(0)),
            bars("dsql drop/request p99.9", atMost(1, HIKARICP)),
            bars("dsql drop/longest request", atMost(1, HIKARICP)),
            bars("dsql drop/failed, begun after the drop", atMost(1, HIKARICP)),
            bars("dsql drop/refused", atMost(0)),
            bars("dsql load/time to full by ideal", atMost(1.1)),
            bars("dsql load/refused", atMost(0)),
            bars("trouble silent/lost of 20", SOONER),
            bars("trouble silent/time to first served", atMost(5 * SECOND)),
            bars("trouble busy/served", AHEAD),
            bars("trouble busy/time to first served", atMost(10 * SECOND)),
            bars("trouble idle/lost of 320", SOONER),
            bars("trouble drop/lost, begun after the drop", SOONER),
            bars("trouble drop/request p99.9 after", NO_LATER),
            bars("trouble restart/lost", SOONER),
            bars("trouble restart/time to first served, median", NO_LATER),
            bars("trouble password/time until told", NO_LATER),
            bars("trouble password/logins refused 10 s later", SOONER),
            bars(
                    "cluster fill/item writes per connection opened and closed",
                    atMost(0.5).in("40 x 100")),
            bars(
                    "cluster fill/time to full",
                    atMost(33 * SECOND).in("40 x 100"),
                    atMost(11 * SECOND).in("40 x 50")),
            bars("cluster fill/refused connects", atMost(0)),
            bars("cluster fill/leases left over", atMost(0)),
            bars("cluster permits/permits a second", atLeast(99)),
            bars("cluster permits/writes a second of the permits' key", atMost(1_000)),
            bars("cluster permits/writes of the permits' key in the busiest second", atMost(1_000)),
            bars("cluster permits/refused connects", atMost(0)),
            bars(
                    "cluster crash/until the leases are back, longest",
                    atMost(15 * SECOND).in("40 x 50")),
            bars("cluster start/first lease, longest", atMost(5 * SECOND).in("1,000")),
            bars("cluster start/failed requests", atMost(0).in("1,000")),
            bars("cluster idle/dollars a month", atMost(150).in("1,000")),
            bars("cluster outage/calm after", atMost(10 * SECOND).in("1,000")),
            bars("cluster outage/processes declared dead", atMost(0).in("1,000")),
            bars("cluster outage/leases held beyond the limit", atMost(0).in("1,000")));

    private static Map.Entry<String, List<Bar>> bars(String metric, Bar... bars) {
        return Map.entry(metric, List.of(bars));
    }

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
