package dev.reservoir.jdbc;

import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Time;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches a reservoir until it is filled to its low watermark for the first time, and says so, or that it takes too long. */
final class InitialFill {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    private final Reservoir<?> reservoir;
    private final long begunNanos;
    private final CompletableFuture<Void> filled;
    private final Time.Timer timer;

    InitialFill(Reservoir<?> reservoir, Targets targets, Duration timeout, Time time) {
        this.reservoir = reservoir;
        begunNanos = reservoir.nanos();
        filled = reservoir.whenReady(targets.lowWatermark());
        timer = timeout.isZero() ? () -> {} : time.schedule(timeout.toNanos(), this::tooLate);
        CompletionStage<Void> stage = filled;
        stage.thenRun(this::complete);
    }

    private void complete() {
        timer.cancel();
        Stats stats = reservoir.stats();
        log.info(
                "Reservoir initial fill complete  size={} target={} elapsed={} reservoir={}",
                stats.open(),
                stats.targets().targetReady(),
                DurationText.formatMillis(reservoir.nanos() - begunNanos),
                reservoir.name());
    }

    private void tooLate() {
        if (!filled.isDone()) {
            Stats stats = reservoir.stats();
            log.warn(
                    "Reservoir initial fill timeout  current={} target={} reservoir={}",
                    stats.open(),
                    stats.targets().targetReady(),
                    reservoir.name());
        }
    }

    /** Blocks until it is filled, or for so long. If interrupted, returns at once and leaves the thread interrupted. */
    void await(Duration timeout) {
        try {
            filled.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | CancellationException goOn) {
            // The log says so; a reservoir that is not full yet serves all the same.
        } catch (ExecutionException e) {
            throw new IllegalStateException("bug: watching the initial fill failed", e);
        }
    }

    /** Stops watching. */
    void forget() {
        timer.cancel();
        filled.cancel(false);
    }
}
