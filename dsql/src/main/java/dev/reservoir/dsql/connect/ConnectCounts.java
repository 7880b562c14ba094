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
import java.util.concurrent.locks.ReentrantLock;
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

    /** Guards the fields below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<OpenFailureReason, Long> failures = new EnumMap<>(OpenFailureReason.class);
    private long opened;
    private int limitsInARow;
    private long pauseUntilNanos = Long.MIN_VALUE;

    ConnectCounts(RandomGenerator random) {
        this.random = random;
    }

    void opened() {
        lock.lock();
        try {
            opened++;
            limitsInARow = 0;
        } finally {
            lock.unlock();
        }
    }

    void failed(OpenFailureReason reason, long nowNanos) {
        lock.lock();
        try {
            failures.merge(reason, 1L, Long::sum);
            if (reason == OpenFailureReason.SERVER_RATE || reason == OpenFailureReason.SERVER_FULL) {
                pauseUntilNanos =
                        nowNanos + DoublingPause.jittered(limitsInARow++, PAUSE_BASE_NANOS, PAUSE_MAX_NANOS, random);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns how long no connect should begin, or 0 if one may begin now. */
    long pauseNanos(long nowNanos) {
        lock.lock();
        try {
            return pauseUntilNanos == Long.MIN_VALUE ? 0 : Math.max(0, pauseUntilNanos - nowNanos);
        } finally {
            lock.unlock();
        }
    }

    Map<String, Double> metrics() {
        Map<String, Double> all = new LinkedHashMap<>();
        lock.lock();
        try {
            all.put("dsql_connects_total", (double) opened);
            for (OpenFailureReason reason : OpenFailureReason.values()) {
                all.put("dsql_connect_failures_total{reason=\"" + reason.label() + "\"}", (double)
                        failures.getOrDefault(reason, 0L));
            }
        } finally {
            lock.unlock();
        }
        return all;
    }

    /**
     * Returns the reason for a failed connect. It uses the first exception in the chain of causes that
     * {@link DsqlErrors} classifies as a connect error. Otherwise the reason is a connect timeout if any of them is a
     * timeout.
     */
    static OpenFailureReason reason(SQLException error) {
        OpenFailureReason reason = OpenFailureReason.CONNECT;
        for (Throwable cause : Causes.of(error)) {
            OpenFailureReason known = ofKind(DsqlErrors.of(cause));
            if (known != null) {
                return known;
            }
            if (cause instanceof SocketTimeoutException || cause instanceof SQLTimeoutException) {
                reason = OpenFailureReason.CONNECT_TIMEOUT;
            }
        }
        return reason;
    }

    private static @Nullable OpenFailureReason ofKind(DsqlError error) {
        if (error.kind() == ErrorKind.AUTH) {
            return OpenFailureReason.AUTHENTICATION;
        }
        if (error.limit() == Limit.RATE) {
            return OpenFailureReason.SERVER_RATE;
        }
        return error.limit() == Limit.COUNT ? OpenFailureReason.SERVER_FULL : null;
    }
}
