package dev.reservoir.dsql.connect;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.DoublingPause;
import dev.reservoir.dsql.error.DsqlError;
import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.error.ErrorKind;
import dev.reservoir.dsql.error.Limit;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connects that are made outside a reservoir, and classifies the failures. After the server has reported a
 * limit, it says how long to pause: 250 ms at first, doubling up to 5 seconds, with jitter over the upper half. Never
 * waits itself.
 */
final class ConnectCounts {
    private static final long PAUSE_BASE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final RandomGenerator random;

    /** Guarded by this, as are the fields below. */
    private final Map<OpenFailureReason, Long> failures = new EnumMap<>(OpenFailureReason.class);

    private long opened;
    private int limitsInARow;
    private long pauseUntilNanos = Long.MIN_VALUE;

    ConnectCounts(RandomGenerator random) {
        this.random = random;
    }

    synchronized void opened() {
        opened++;
        limitsInARow = 0;
    }

    synchronized void failed(OpenFailureReason reason, long nowNanos) {
        failures.merge(reason, 1L, Long::sum);
        if (reason == OpenFailureReason.SERVER_RATE || reason == OpenFailureReason.SERVER_FULL) {
            pauseUntilNanos =
                    nowNanos + DoublingPause.jittered(limitsInARow++, PAUSE_BASE_NANOS, PAUSE_MAX_NANOS, random);
        }
    }

    /** Returns how long no connect should begin, or 0 if one may begin now. */
    synchronized long pauseNanos(long nowNanos) {
        return pauseUntilNanos == Long.MIN_VALUE ? 0 : Math.max(0, pauseUntilNanos - nowNanos);
    }

    synchronized Map<String, Double> metrics() {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("dsql_connects_total", (double) opened);
        for (OpenFailureReason reason : OpenFailureReason.values()) {
            long count = failures.getOrDefault(reason, 0L);
            all.put("dsql_connect_failures_total{reason=\"" + reason.label() + "\"}", (double) count);
        }
        return all;
    }

    /** Returns the reason for a failed connect: a refusal, or else a timeout if any of the causes is one. */
    static OpenFailureReason reason(SQLException error) {
        OpenFailureReason refusal = refusal(error);
        if (refusal != null) {
            return refusal;
        }
        boolean late =
                Causes.contain(error, SocketTimeoutException.class) || Causes.contain(error, SQLTimeoutException.class);
        return late ? OpenFailureReason.CONNECT_TIMEOUT : OpenFailureReason.CONNECT;
    }

    /** Returns why DSQL refused a connect, or null. Known by its words, since the SQLState is not reliable. */
    static @Nullable OpenFailureReason refusal(SQLException error) {
        for (Throwable cause : Causes.of(error)) {
            DsqlError known = DsqlErrors.of(cause);
            if (known.kind() == ErrorKind.AUTH) {
                return OpenFailureReason.AUTHENTICATION;
            }
            if (known.limit() == Limit.RATE || known.limit() == Limit.COUNT) {
                return known.limit() == Limit.RATE ? OpenFailureReason.SERVER_RATE : OpenFailureReason.SERVER_FULL;
            }
        }
        return null;
    }
}
