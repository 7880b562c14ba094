package dev.reservoir.core.internal.opening;

import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.internal.stats.CurrentSettings;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what follows from failed connects: the pauses before the next ones, the failure that error messages name, and
 * whether successors may be opened in addition. Acts on nothing. Guarded by the keeper's lock, except where a method
 * says otherwise.
 */
public final class ConnectFailures {
    /**
     * How long the reservoir does without the successors' allowance after the server refused a successor because it was
     * full. In that time predecessors retire first. Ten minutes keep refused connects rare.
     */
    private static final long NO_ALLOWANCE_NANOS = 600_000_000_000L;

    /**
     * Shortest pause after a connect that shows wrong settings. It is long enough for the application to get the error
     * and close the reservoir, so the server sees one refused login and not two.
     */
    private static final long MISCONFIGURED_PAUSE_NANOS = 1_000_000_000L;

    private final CurrentSettings settings;
    private final Backoff backoff;
    private @Nullable Failure last;
    private long noAllowanceUntilNanos = Long.MIN_VALUE;
    private volatile @Nullable Failure misconfiguration;

    public ConnectFailures(CurrentSettings settings, RandomGenerator random) {
        this.settings = settings;
        Settings now = settings.get();
        backoff = new Backoff(now.backoffBaseNanos(), now.backoffMaxNanos(), random);
    }

    /** A connect that failed. */
    public record Failure(OpenFailureReason reason, Throwable cause) {
        /** Whether only a change of settings can help. */
        public boolean isMisconfiguration() {
            return reason.isMisconfiguration()
                    && !(cause instanceof OpenFailedException named && named.isWorthAnotherTry());
        }
    }

    /** The pauses before the next connects. */
    public Backoff backoff() {
        return backoff;
    }

    /**
     * Records a failure.
     *
     * @param begunNanos when the failed step began
     * @param waitedFor whether callers wait for a connection
     * @return how many failures in a row there were for this reason
     */
    public int failed(Failure failure, long begunNanos, long nowNanos, boolean waitedFor) {
        OpenFailureReason reason = failure.reason();
        last = failure;
        if (reason != OpenFailureReason.LEASE_ACQUIRE
                && reason != OpenFailureReason.RATE_LIMIT
                && reason != OpenFailureReason.TOKEN_PROVIDER) {
            // The network or the server has given another answer since.
            misconfiguration = null;
        }
        return backoff.failed(reason, begunNanos, nowNanos, waitedFor);
    }

    /** Records a connection whose connect began at the given time. */
    public void opened(long begunNanos) {
        misconfiguration = null;
        backoff.opened(begunNanos);
        if (!backoff.isProbing()) {
            last = null;
        }
    }

    /** The last failure, or null if the reservoir has recovered since. */
    public @Nullable Failure last() {
        return last;
    }

    /** Records that no connection was ever opened, for a reason that only a change of settings can remove. */
    public void setMisconfiguration(Failure failure, long nowNanos) {
        misconfiguration = failure;
        backoff.pauseUntil(failure.reason(), nowNanos + MISCONFIGURED_PAUSE_NANOS);
    }

    /** Forgets the wrong settings, so that callers wait. */
    public void clearMisconfiguration() {
        misconfiguration = null;
    }

    /**
     * The reason why no connection was ever opened, if only a change of settings can help; otherwise null. Takes no
     * lock.
     */
    public @Nullable Failure misconfiguration() {
        return misconfiguration;
    }

    /** Records that the server refused a connection beyond the maximum because it was full. */
    public void successorRefused(long nowNanos) {
        noAllowanceUntilNanos = nowNanos + NO_ALLOWANCE_NANOS;
    }

    /**
     * How many connections beyond the maximum may exist now. A full server refuses them, so then the allowance is zero.
     */
    public int allowance(long nowNanos, int maxOpen) {
        return nowNanos < noAllowanceUntilNanos ? 0 : settings.get().successorAllowanceFor(maxOpen);
    }
}
