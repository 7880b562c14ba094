package dev.reservoir.bench.dsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Decides which promises were broken. Uses only the evidence that it is given. */
final class SoakJudge {
    /**
     * Tolerance for the times of a drop. All processes read the same clock, but a drop and its effect at the client
     * take some time.
     */
    static final long SLACK_MILLIS = 100;

    static final double SLOW_CHECKOUTS_MAX = 0.01;

    private SoakJudge() {}

    /**
     * A request that failed.
     *
     * @param process the process that sent it
     * @param acquiredMillis when it got its connection, in milliseconds since 1970, or 0 if it got none
     * @param failedMillis when it failed
     * @param kind the kind of the error, as the module dsql names it
     * @param message the message of the error
     */
    record Failure(String process, long acquiredMillis, long failedMillis, String kind, String message) {

        /** Reads a line that {@link SoakWorker} has written. */
        static Failure of(String process, String line) {
            String[] words = line.split(" ", 5);
            if (words.length != 5) {
                throw new IllegalArgumentException("a failure has " + words.length + " words instead of 5: " + line);
            }
            return new Failure(process, Long.parseLong(words[1]), Long.parseLong(words[2]), words[3], words[4]);
        }
    }

    /** A drop of connections: when it was requested and when it was done. */
    record Drop(long beganMillis, long endedMillis) {}

    /**
     * The evidence.
     *
     * @param failures every request that failed
     * @param drops every drop of connections
     * @param refused connects refused for rate or number while the fleet's limits applied
     * @param refusedTokens connects refused for their token while the emulator accepted tokens
     * @param agedOut connections that the server closed for their age
     * @param sum the reports of all processes together
     * @param leases the errors in the leases at the end; empty if there are none
     */
    record Evidence(
            List<Failure> failures,
            List<Drop> drops,
            long refused,
            long refusedTokens,
            long agedOut,
            SoakState sum,
            List<String> leases) {}

    /** Whether the connection of this request was cut: it was in use during a drop. */
    static boolean isCut(Failure failure, List<Drop> drops) {
        return failure.kind().equals("connection")
                && failure.acquiredMillis() != 0
                && drops.stream()
                        .anyMatch(drop -> failure.acquiredMillis() <= drop.endedMillis() + SLACK_MILLIS
                                && failure.failedMillis() >= drop.beganMillis());
    }

    /** One line for each broken promise. */
    static List<String> broken(Evidence evidence) {
        List<String> broken = new ArrayList<>();
        List<Failure> uncut = evidence.failures.stream()
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
        } else if (evidence.sum.slow() > SLOW_CHECKOUTS_MAX * evidence.sum.checkouts()) {
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
