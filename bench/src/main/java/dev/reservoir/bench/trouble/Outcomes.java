package dev.reservoir.bench.trouble;

import dev.reservoir.bench.report.LatencyHistogram;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** The outcome and the times of every request, by {@link System#nanoTime}. Never blocks. */
final class Outcomes {

    private final Set<Request> underWay = ConcurrentHashMap.newKeySet();
    private final Queue<Outcome> ended = new ConcurrentLinkedQueue<>();

    private record Outcome(long beganNanos, long endedNanos, boolean served) {
        long tookNanos() {
            return endedNanos - beganNanos;
        }
    }

    /** A request that has not ended. Two requests are never equal. */
    final class Request {
        private final long beganNanos;

        private Request(long beganNanos) {
            this.beganNanos = beganNanos;
        }

        void end(long endedNanos, boolean served) {
            ended.add(new Outcome(beganNanos, endedNanos, served));
            underWay.remove(this);
        }
    }

    Request begin(long nowNanos) {
        Request request = new Request(nowNanos);
        underWay.add(request);
        return request;
    }

    /** Requests that have had no answer of any kind so far. */
    int unanswered() {
        return underWay.size();
    }

    /** Requests that were served at or after this time. */
    long served(long sinceNanos) {
        return endedSince(sinceNanos).filter(Outcome::served).count();
    }

    /** Requests that failed at or after this time, and those without an answer. */
    long lost(long sinceNanos) {
        return endedSince(sinceNanos).filter(outcome -> !outcome.served()).count() + underWay.size();
    }

    /** Requests that began at or after the first time and failed before the second. */
    long failedBetween(long fromNanos, long toNanos) {
        return begunSince(fromNanos)
                .filter(outcome -> !outcome.served() && outcome.endedNanos() - toNanos < 0)
                .count();
    }

    /**
     * The time from {@code sinceNanos} to the first served request; infinite if none was served. Requests served before
     * {@code notBeforeNanos} do not count, because their answers were already on the way.
     */
    double nanosToFirstServed(long sinceNanos, long notBeforeNanos) {
        return endedSince(notBeforeNanos)
                .filter(Outcome::served)
                .mapToDouble(outcome -> outcome.endedNanos() - sinceNanos)
                .min()
                .orElse(Double.POSITIVE_INFINITY);
    }

    /** The longest time of a request that began at or after this time; infinite if a request has no answer. */
    double longestNanos(long sinceNanos) {
        return underWay.isEmpty()
                ? begunSince(sinceNanos).mapToDouble(Outcome::tookNanos).max().orElse(Double.POSITIVE_INFINITY)
                : Double.POSITIVE_INFINITY;
    }

    /** The times of all answered requests that began at or after this time. */
    LatencyHistogram latency(long sinceNanos) {
        LatencyHistogram histogram = new LatencyHistogram();
        begunSince(sinceNanos).forEach(outcome -> histogram.record(outcome.tookNanos()));
        return histogram;
    }

    private Stream<Outcome> endedSince(long sinceNanos) {
        return ended.stream().filter(outcome -> outcome.endedNanos() - sinceNanos >= 0);
    }

    private Stream<Outcome> begunSince(long sinceNanos) {
        return ended.stream().filter(outcome -> outcome.beganNanos() - sinceNanos >= 0);
    }
}
