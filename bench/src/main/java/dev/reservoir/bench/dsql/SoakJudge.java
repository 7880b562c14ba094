package dev.reservoir.bench.dsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says which promises were broken. Knows nothing but what it is told. */
final class SoakJudge {
    /** Clocks of this machine's processes are one, but a drop takes a moment and its news another. */
    static final long SLACK_MILLIS = 100;

    static final double CHECKOUTS_SLOW_MOST = 0.01;

    private SoakJudge() {}

    /** A drop of connections: when it was asked for, and when it was done. */
    record Drop(long beganMillis, long endedMillis) {}

    /**
     * What is judged.
     *
     * @param failures every request that failed
     * @param drops every drop of connections
     * @param refused connects refused for rate or number while what was promised was there
     * @param refusedTokens connects refused for their token while tokens were taken
     * @param agedOut connections that the server closed for their age
     * @param sum all processes together
     * @param leases what is wrong with the leases at the end; empty if nothing
     */
    record Evidence(
            List<SoakFailure> failures,
            List<Drop> drops,
            long refused,
            long refusedTokens,
            long agedOut,
            SoakState sum,
            List<String> leases) {}

    /** Whether a connection was cut under this request: it was on loan when a drop came. */
    static boolean isCut(SoakFailure failure, List<Drop> drops) {
        return failure.kind().equals("connection")
                && failure.acquiredMillis() != 0
                && drops.stream()
                        .anyMatch(drop -> failure.acquiredMillis() <= drop.endedMillis() + SLACK_MILLIS
                                && failure.failedMillis() >= drop.beganMillis());
    }

    /** One line for each promise that was broken. */
    static List<String> broken(Evidence evidence) {
        List<String> broken = new ArrayList<>();
        List<SoakFailure> uncut = evidence.failures.stream()
                .filter(failure -> !isCut(failure, evidence.drops))
                .toList();
        if (!uncut.isEmpty()) {
            broken.add(uncut.size() + " requests failed that were not cut, the first: " + uncut.get(0));
        }
        if (evidence.refused > 0) {
            broken.add(evidence.refused + " connects were refused within what was promised");
        }
        if (evidence.refusedTokens > 0) {
            broken.add(evidence.refusedTokens + " tokens were refused while good ones were taken");
        }
        if (evidence.agedOut > 0) {
            broken.add(evidence.agedOut + " connections were closed by the server for their age");
        }
        if (evidence.sum.checkouts() == 0) {
            broken.add("nothing was checked out");
        } else if (evidence.sum.slow() > CHECKOUTS_SLOW_MOST * evidence.sum.checkouts()) {
            broken.add(String.format(
                    Locale.ROOT,
                    "checkout p99 is above 1 ms: %d of %d took longer",
                    evidence.sum.slow(),
                    evidence.sum.checkouts()));
        }
        broken.addAll(evidence.leases);
        return broken;
    }
}
