package dev.reservoir.jdbc.pool;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.core.util.Text;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.log.LogLimit;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs events as sentences followed by {@code key=value} pairs. Gets no event of a checkout that found a ready
 * connection, so it costs nothing on the hot path. Never blocks.
 *
 * <p>Routine events are logged at debug: a connection was created, or discarded at the end of its lifetime. These are
 * warnings: a connection was discarded because it was broken, or because it was found expired at checkout or release; a
 * checkout waited for a second or more, or got no connection. A shorter wait is normal. A failed connect is a warning
 * if a limit was reached. It is an error if credentials, leases or the database were not available. For warnings and
 * errors of one kind there is one line every 10 seconds. It says how many lines were suppressed since the last one, if
 * any.
 */
final class LogListener implements Listener<Object> {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    /** Bounds the wait that is not logged. Shorter waits are normal under load; a user notices a wait of a second. */
    static final long LONG_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Set<DiscardReason> BROKEN =
            EnumSet.of(DiscardReason.BAD, DiscardReason.VALIDATION_FAILED, DiscardReason.UNRESPONSIVE);
    private static final Set<DiscardReason> WARNED_OF = EnumSet.of(
            DiscardReason.BAD,
            DiscardReason.VALIDATION_FAILED,
            DiscardReason.UNRESPONSIVE,
            DiscardReason.LOST,
            DiscardReason.INSUFFICIENT_REMAINING_LIFETIME,
            DiscardReason.EXPIRED_ON_CHECKOUT,
            DiscardReason.EXPIRED_ON_RETURN);

    private final EventDispatcher lines;
    private final String name;
    private final IntSupplier targetReady;
    private final LongSupplier guardWindowNanos;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final Map<OpenFailureReason, LogLimit> ofFailures = new EnumMap<>(OpenFailureReason.class);
    private final Map<DiscardReason, LogLimit> ofDiscards = new EnumMap<>(DiscardReason.class);
    private final LogLimit ofRecoveries;
    private final LogLimit ofEmpties;
    private final LogLimit ofLongWaits;
    private final LogLimit ofVainWaits;

    LogListener(
            String name,
            IntSupplier targetReady,
            LongSupplier guardWindowNanos,
            LongSupplier nanos,
            EventDispatcher lines) {
        this.lines = lines;
        this.name = name;
        this.targetReady = targetReady;
        this.guardWindowNanos = guardWindowNanos;
        for (OpenFailureReason reason : OpenFailureReason.values()) {
            ofFailures.put(reason, new LogLimit(nanos));
        }
        for (DiscardReason reason : DiscardReason.values()) {
            ofDiscards.put(reason, new LogLimit(nanos));
        }
        ofRecoveries = new LogLimit(nanos);
        ofEmpties = new LogLimit(nanos);
        ofLongWaits = new LogLimit(nanos);
        ofVainWaits = new LogLimit(nanos);
    }

    /** True, because it only decides what to log. If a log appender hangs, it hangs on another thread. */
    @Override
    public boolean neverBlocks() {
        return true;
    }

    @Override
    public void opened(Pooled<Object> connection, long openNanos) {
        int size = open.incrementAndGet();
        if (failures.get() > 0 && ofRecoveries.allows()) {
            int failed = failures.getAndSet(0);
            lines.run(() ->
                    log.info("Reservoir refiller: connects succeed again  failures={} reservoir={}", failed, name));
        }
        if (log.isDebugEnabled()) {
            lines.run(() -> log.debug(
                    "Reservoir refiller: created connection  reservoir_size={} target={} elapsed={} reservoir={}",
                    size,
                    targetReady.getAsInt(),
                    DurationText.formatMillis(openNanos),
                    name));
        }
    }

    @Override
    public void discarded(Pooled<Object> connection, DiscardReason reason, long remainingNanos) {
        open.decrementAndGet();
        boolean warns = WARNED_OF.contains(reason);
        LogLimit limit = ofDiscards.get(reason);
        if (limit == null || (warns ? !limit.allows() : !log.isDebugEnabled())) {
            return;
        }
        String error = BROKEN.contains(reason) ? " error=\"" + whyBad(connection) + "\"" : "";
        String suppressed = warns ? limit.suppressed() : "";
        lines.run(() -> log.atLevel(warns ? Level.WARN : Level.DEBUG)
                .log(
                        "Reservoir: discarding connection  reason={} remaining={} guard_window={}{} reservoir={}{}",
                        reason.label(),
                        DurationText.formatMillis(remainingNanos),
                        DurationText.format(guardWindowNanos.getAsLong()),
                        error,
                        name,
                        suppressed));
    }

    private static String whyBad(Pooled<Object> connection) {
        SQLException why = connection.connection() instanceof PhysicalConnection physical ? physical.whyBad() : null;
        return why == null ? "no answer" : text(why);
    }

    @Override
    public void openFailed(OpenFailureReason reason, Throwable cause, int failuresInARow) {
        failures.incrementAndGet();
        LogLimit limit = ofFailures.get(reason);
        if (limit == null || !limit.allows()) {
            return;
        }
        String error = text(cause);
        switch (reason) {
            case LEASE_ACQUIRE -> failure(true, "lease acquire failed", reason, error, failuresInARow, limit);
            case TOKEN_PROVIDER -> failure(true, "token provider failed", reason, error, failuresInARow, limit);
            case CONNECT, CONNECT_TIMEOUT, AUTHENTICATION, UNKNOWN_HOST, UNKNOWN_DATABASE ->
                failure(true, "connection open failed", reason, error, failuresInARow, limit);
            case RATE_LIMIT, SERVER_RATE, SERVER_FULL ->
                failure(false, "failed to create connection", reason, error, failuresInARow, limit);
        }
    }

    private void failure(
            boolean isError, String what, OpenFailureReason reason, String error, int attempt, LogLimit limit) {
        String suppressed = limit.suppressed();
        lines.run(() -> log.atLevel(isError ? Level.ERROR : Level.WARN)
                .log(
                        "Reservoir refiller: {}  error=\"{}\" attempt={} reason={} reservoir={}{}",
                        what,
                        error,
                        attempt,
                        reason.label(),
                        name,
                        suppressed));
    }

    @Override
    public void empty() {
        if (log.isDebugEnabled() && ofEmpties.allows()) {
            String suppressed = ofEmpties.suppressed();
            lines.run(() -> log.debug("Reservoir: empty, a checkout has to wait  reservoir={}{}", name, suppressed));
        }
    }

    @Override
    public void waitEnded(long waitedNanos, boolean served) {
        if (served && waitedNanos < LONG_WAIT_NANOS) {
            return;
        }
        LogLimit limit = served ? ofLongWaits : ofVainWaits;
        if (limit.allows()) {
            String suppressed = limit.suppressed();
            lines.run(() -> log.warn(
                    "{}  waited={} reservoir={}{}",
                    served ? "Reservoir: a checkout waited long" : "Reservoir: a checkout got no connection",
                    DurationText.formatMillis(waitedNanos),
                    name,
                    suppressed));
        }
    }

    /** The message of a failed batch may hold its statements with their values. The message of its cause does not. */
    private static String text(Throwable error) {
        if (error instanceof BatchUpdateException batch) {
            Throwable cause = batch.getCause();
            return cause == null || cause instanceof BatchUpdateException
                    ? batch.getClass().getName() + ", SQLState " + batch.getSQLState()
                    : text(cause);
        }
        return Text.words(error).replace('"', '\'');
    }
}
