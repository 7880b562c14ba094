package dev.reservoir.flightsql.pool;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.core.util.Text;
import dev.reservoir.flightsql.connect.FlightConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what happens to connections. The first failure of a series is a warning, and all else is at debug. */
final class PoolLog implements Listener<FlightConnection> {
    private static final Logger log = LoggerFactory.getLogger(RunningPool.LOGGER);

    private final String pool;
    private final EventDispatcher lines;

    PoolLog(String pool, EventDispatcher lines) {
        this.pool = pool;
        this.lines = lines;
    }

    /** True, because an appender that hangs hangs on another thread. */
    @Override
    public boolean neverBlocks() {
        return true;
    }

    @Override
    public void opened(Pooled<FlightConnection> connection, long openNanos) {
        if (log.isDebugEnabled()) {
            lines.run(() -> log.debug(
                    "Flight SQL pool: opened connection  elapsed=\"{}\" pool={}", Text.nanos(openNanos), pool));
        }
    }

    @Override
    public void discarded(Pooled<FlightConnection> connection, DiscardReason reason, long remainingNanos) {
        if (log.isDebugEnabled()) {
            lines.run(() -> log.debug("Flight SQL pool: dropped connection  reason={} pool={}", reason.label(), pool));
        }
    }

    @Override
    public void openFailed(OpenFailureReason reason, Throwable cause, int failuresInARow) {
        if (failuresInARow == 1) {
            lines.run(() -> log.warn(
                    "Flight SQL pool: cannot open a connection, tries again with growing pauses  reason={} error=\"{}\""
                            + " pool={}",
                    reason.label(),
                    Text.words(cause),
                    pool));
        }
    }
}
