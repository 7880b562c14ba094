package dev.reservoir.dynamodb.processes;

import java.util.Comparator;
import java.util.List;

/**
 * Judges arrivals by a token bucket: in no stretch of time may there be more of them than the burst and what the rate
 * yields in that time. That is the same as to say that a bucket which is full at the start never runs out.
 *
 * @param ratePerSecond what comes in
 * @param burst what it holds
 */
record TokenBucket(double ratePerSecond, double burst) {

    /**
     * By how much it was overdrawn at worst; not more than 0 if it never was.
     *
     * @param asTheyCame by the moments of arrival alone
     * @param allowingForDelays with each stretch of time longer by the longest delay of an arrival in it, since what
     *     came in it may have been granted that much earlier
     * @param stretch the stretch of time in which that was worst
     */
    record Overdraft(double asTheyCame, double allowingForDelays, List<Arrival> stretch) {}

    /** Looks at every stretch of time that begins and ends with an arrival. */
    Overdraft overdraft(List<Arrival> arrivals) {
        List<Arrival> inOrder = arrivals.stream()
                .sorted(Comparator.comparingLong(Arrival::atMicros))
                .toList();
        double asTheyCame = Double.NEGATIVE_INFINITY;
        double allowing = Double.NEGATIVE_INFINITY;
        List<Arrival> worst = List.of();
        for (int first = 0; first < inOrder.size(); first++) {
            long delayMicros = 0;
            for (int last = first; last < inOrder.size(); last++) {
                delayMicros = Math.max(delayMicros, inOrder.get(last).delayMicros());
                long micros = inOrder.get(last).atMicros() - inOrder.get(first).atMicros();
                int count = last - first + 1;
                asTheyCame = Math.max(asTheyCame, count - allowed(micros));
                double overdrawn = count - allowed(micros + delayMicros);
                if (overdrawn > allowing) {
                    allowing = overdrawn;
                    worst = inOrder.subList(first, last + 1);
                }
            }
        }
        return new Overdraft(asTheyCame, allowing, worst);
    }

    private double allowed(long micros) {
        return burst + ratePerSecond * micros / 1e6;
    }
}
