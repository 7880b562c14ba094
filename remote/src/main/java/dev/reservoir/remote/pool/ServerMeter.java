package dev.reservoir.remote.pool;

import dev.reservoir.core.Durations;
import dev.reservoir.core.util.Histogram;
import dev.reservoir.remote.ServerMeasurements;
import dev.reservoir.remote.adapter.SessionObserver;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures the acquires, the statements and the traffic of one server, over all its pools, also those that ended. Never
 * blocks.
 *
 * <p>An acquire that finds a ready connection is so fast that timing each would slow it down. So the engine times a
 * sample of them, and the user pools pass its measurements on.
 */
public final class ServerMeter implements SessionObserver {
    private final Histogram waited = new Histogram();
    private final Histogram readySample = new Histogram();

    /** The sum of the sample, each measurement times the acquires that it stands for. Never falls, unlike a mean. */
    private final LongAdder readyNanos = new LongAdder();

    private final Histogram queries = new Histogram();
    private final AtomicInteger failed = new AtomicInteger();
    private final LongAdder bytesSent = new LongAdder();
    private final LongAdder bytesReceived = new LongAdder();
    private volatile boolean hasCounted;
    private volatile boolean hasUncounted;

    /** An acquire found a ready connection, and its measurement stands for this many acquires. */
    void acquiredReady(long nanos, int standsFor) {
        readySample.record(nanos);
        readyNanos.add(Math.max(0, nanos) * standsFor);
    }

    /** An acquire got a connection that was not ready at once. */
    void acquiredAfter(long nanos) {
        waited.record(nanos);
    }

    /** A connection in use turned out to be broken. {@link #failedReleased} must follow. */
    void failed() {
        failed.incrementAndGet();
    }

    void failedReleased() {
        failed.decrementAndGet();
    }

    @Override
    public void executed(long nanos) {
        queries.record(nanos);
    }

    @Override
    public void sent(long bytes) {
        bytesSent.add(bytes);
    }

    @Override
    public void received(long bytes) {
        bytesReceived.add(bytes);
    }

    @Override
    public void openedCounted() {
        hasCounted = true;
    }

    @Override
    public void openedUncounted() {
        hasUncounted = true;
    }

    /**
     * All measurements.
     *
     * @param acquires how many acquires got a connection
     */
    ServerMeasurements report(String server, long acquires) {
        Durations scaled = waited.snapshot(readySample, Math.max(0, acquires - waited.count()));
        Durations acquireTime = scaled.withSum(waited.snapshot().sumNanos() + readyNanos.sum());
        boolean knowsBytes = hasCounted && !hasUncounted;
        return new ServerMeasurements(
                server,
                acquireTime,
                queries.snapshot(),
                failed.get(),
                knowsBytes ? bytesSent.sum() : null,
                knowsBytes ? bytesReceived.sum() : null);
    }
}
