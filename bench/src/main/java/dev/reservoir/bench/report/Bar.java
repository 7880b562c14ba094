package dev.reservoir.bench.report;

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
 * @param unit the unit of the limit
 */
record Bar(Better better, @Nullable PoolKind peer, double factor, Unit unit) {

    private static final List<Bar> NONE = List.of();

    private static final List<Bar> AHEAD = List.of(atLeast(1, PoolKind.HIKARICP), atLeast(1, PoolKind.AGROAL));

    private static final List<Bar> SOONER = List.of(atMost(1, PoolKind.HIKARICP), atMost(1, PoolKind.AGROAL));

    /** Like SOONER, with a margin for times of some milliseconds, which vary by a quarter from run to run. */
    private static final List<Bar> NO_LATER = List.of(atMost(1.25, PoolKind.HIKARICP), atMost(1.25, PoolKind.AGROAL));

    /**
     * The bars by benchmark and metric. The time for a rationed fill is the time that the limiter requires, plus one
     * handshake, plus 1 % for the clock.
     */
    private static final Map<String, List<Bar>> ALL = Map.ofEntries(
            Map.entry("checkout/throughput", List.of(atLeast(2, PoolKind.HIKARICP), atLeast(1.5, PoolKind.AGROAL))),
            Map.entry("checkout/allocated", List.of(atMost(56, Unit.BYTES))),
            Map.entry("statement/throughput", AHEAD),
            Map.entry("loop/throughput", AHEAD),
            Map.entry("loop/never served", List.of(atMost(0, Unit.COUNT))),
            Map.entry("loop/p99.9 by fair wait", List.of(atMost(3, Unit.FACTOR))),
            Map.entry("requests/throughput", AHEAD),
            Map.entry("requests/wait p99.9", SOONER),
            Map.entry("scan/median", List.of(atMost(10e6, Unit.NANOS))),
            Map.entry("fill/time to full", List.of(atMost(1.95e9, Unit.NANOS))),
            Map.entry("fill/refused", List.of(atMost(0, Unit.COUNT))),
            Map.entry("fleet/time to full", List.of(atMost(20.2e9, Unit.NANOS))),
            Map.entry("fleet/refused", List.of(atMost(0, Unit.COUNT))),
            Map.entry("fleet/failed starts", List.of(atMost(0, Unit.COUNT))),
            Map.entry("fleet/most open", List.of(atMost(2_000, Unit.COUNT))),
            Map.entry("expiry/fewest usable", List.of(atLeast(200, Unit.COUNT))),
            Map.entry("expiry/refused", List.of(atMost(0, Unit.COUNT))),
            Map.entry("expiry/failed acquires", List.of(atMost(0, Unit.COUNT))),
            Map.entry("expiry/failed statements", List.of(atMost(0, Unit.COUNT))),
            Map.entry("dsql fill/time to full", List.of(atMost(1, PoolKind.HIKARICP))),
            Map.entry("dsql fill/refused", List.of(atMost(0, Unit.COUNT))),
            Map.entry("dsql expiry/request p99.9", List.of(atMost(1, PoolKind.HIKARICP))),
            Map.entry("dsql expiry/longest request", List.of(atMost(1, PoolKind.HIKARICP))),
            Map.entry("dsql expiry/failed requests", List.of(atMost(0, Unit.COUNT))),
            Map.entry("dsql expiry/refused", List.of(atMost(0, Unit.COUNT))),
            Map.entry("dsql drop/request p99.9", List.of(atMost(1, PoolKind.HIKARICP))),
            Map.entry("dsql drop/longest request", List.of(atMost(1, PoolKind.HIKARICP))),
            Map.entry("dsql drop/failed, begun after the drop", List.of(atMost(1, PoolKind.HIKARICP))),
            Map.entry("dsql drop/refused", List.of(atMost(0, Unit.COUNT))),
            Map.entry("dsql load/time to full by ideal", List.of(atMost(1.1, Unit.FACTOR))),
            Map.entry("dsql load/refused", List.of(atMost(0, Unit.COUNT))),
            Map.entry("trouble silent/lost of 20", SOONER),
            Map.entry("trouble silent/time to first served", List.of(atMost(5e9, Unit.NANOS))),
            Map.entry("trouble busy/served", AHEAD),
            Map.entry("trouble busy/time to first served", List.of(atMost(10e9, Unit.NANOS))),
            Map.entry("trouble idle/lost of 320", SOONER),
            Map.entry("trouble drop/lost, begun after the drop", SOONER),
            Map.entry("trouble drop/request p99.9 after", NO_LATER),
            Map.entry("trouble restart/lost", SOONER),
            Map.entry("trouble restart/time to first served, median", NO_LATER),
            Map.entry("trouble password/time until told", NO_LATER),
            Map.entry("trouble password/logins refused 10 s later", SOONER));

    static List<Bar> of(String benchmark, String metric) {
        return ALL.getOrDefault(benchmark + "/" + metric, NONE);
    }

    /** The bar and whether Reservoir meets it, or a note that the peer was not measured. */
    String judge(double ours, Map<PoolKind, Double> peers) {
        Double peerValue = peer == null ? Double.valueOf(1) : peers.get(peer);
        String text = (better == Better.HIGHER ? "≥ " : "≤ ") + limitText();
        if (peerValue == null) {
            return text + ": not measured";
        }
        double limit = factor * peerValue;
        boolean met = better == Better.HIGHER ? ours >= limit : ours <= limit;
        return text + (met ? ": met" : ": **missed**");
    }

    private String limitText() {
        return peer == null ? unit.format(factor) : Unit.decimals(factor) + " × " + peer.title();
    }

    private static Bar atLeast(double factor, PoolKind peer) {
        return new Bar(Better.HIGHER, peer, factor, Unit.FACTOR);
    }

    private static Bar atMost(double factor, PoolKind peer) {
        return new Bar(Better.LOWER, peer, factor, Unit.FACTOR);
    }

    private static Bar atLeast(double limit, Unit unit) {
        return new Bar(Better.HIGHER, null, limit, unit);
    }

    private static Bar atMost(double limit, Unit unit) {
        return new Bar(Better.LOWER, null, limit, unit);
    }
}
