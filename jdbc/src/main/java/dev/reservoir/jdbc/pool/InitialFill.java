package dev.reservoir.jdbc.pool;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until a reservoir reaches its low watermark for the first time, and logs that. Logs a warning if it takes too
 * long. Never opens a connection.
 */
final class InitialFill {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    private final Reservoir<?> reservoir;
    private final int lowWatermark;
    private final EventDispatcher lines;
    private final long begunNanos;
    private final CompletableFuture<Void> filled;
    private final Time.Timer timer;

    InitialFill(Reservoir<?> reservoir, Targets targets, Duration timeout, Time time, EventDispatcher lines) {
        this.reservoir = reservoir;
        this.lowWatermark = targets.lowWatermark();
        this.lines = lines;
        begunNanos = reservoir.nanos();
        filled = reservoir.whenReady(targets.lowWatermark());
        timer = timeout.isZero() ? () -> {} : time.schedule(timeout.toNanos(), this::tooLate);
        CompletionStage<Void> stage = filled;
        stage.thenRun(this::complete);
    }

    private void complete() {
        timer.cancel();
        Stats stats = reservoir.stats();
        long elapsedNanos = reservoir.nanos() - begunNanos;
        lines.run(() -> log.info(
                "Reservoir initial fill complete  size={} target={} elapsed={} reservoir={}",
                stats.open(),
                stats.targets().targetReady(),
                DurationText.formatMillis(elapsedNanos),
                reservoir.name()));
    }

    private void tooLate() {
        if (!filled.isDone()) {
            Stats stats = reservoir.stats();
            lines.run(() -> log.warn(
                    "Reservoir initial fill timeout  current={} target={} reservoir={}",
                    stats.open(),
                    stats.targets().targetReady(),
                    reservoir.name()));
        }
    }

    /**
     * Blocks until the low watermark is reached or the timeout has passed. If the thread is interrupted, returns at
     * once and leaves the thread interrupted. A reservoir that is not full yet still serves callers; the log says that
     * it is not full.
     *
     * @throws NoConnectionException if the first connect showed that the settings are wrong
     */
    void await(Duration timeout) {
        try {
            reservoir.awaitReady(lowWatermark, timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (NoConnectionException e) {
            if (e.why() == NoConnectionException.Why.MISCONFIGURED) {
                throw e;
            }
        }
    }

    /** Stops waiting, and logs nothing more. */
    void forget() {
        timer.cancel();
        filled.cancel(false);
    }
}
