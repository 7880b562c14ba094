package dev.reservoir.jdbc.config;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.Settings;
import dev.reservoir.core.util.Checks;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The age at which the server closes a connection, even one in use. Rejects lifetimes that would reach it. A connection
 * that was in use for too long can still reach it; then this class explains the error. Never closes a connection.
 *
 * @param age how old a connection may get
 * @param transaction how long a transaction may last that begins at the last moment at which a connection is handed out
 */
public record ServerAgeLimit(Duration age, Duration transaction) {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    /**
     * Bounds how long before the limit an error still counts as caused by it. The server counts from shortly before the
     * connection was open, and need not be exact.
     */
    private static final Duration MARGIN_MAX = Duration.ofSeconds(30);

    public ServerAgeLimit {
        Checks.nanosBetween("serverAgeLimit", age, Duration.ofSeconds(1), Setting.YEAR);
        Checks.nanosBetween("the longest transaction under serverAgeLimit", transaction, Duration.ZERO, Setting.YEAR);
    }

    /** Rejects settings with which a connection could reach the limit of the server. */
    void check(Settings settings) {
        long longest = settings.baseLifetimeNanos() + settings.lifetimeJitterNanos() / 2;
        long lastCheckout = longest - Math.min(longest, settings.guardWindowNanos());
        if (longest >= age.toNanos() || lastCheckout > age.minus(transaction).toNanos()) {
            throw new SettingException(
                    "baseLifetime",
                    DurationText.format(settings.baseLifetimeNanos())
                            + " with a lifetimeJitter of " + DurationText.format(settings.lifetimeJitterNanos())
                            + " and a guardWindow of " + DurationText.format(settings.guardWindowNanos())
                            + ", so connections live for up to " + DurationText.format(longest)
                            + " and are handed out for up to " + DurationText.format(lastCheckout),
                    "less than " + DurationText.format(age)
                            + ", when the server closes them, and handed out for up to "
                            + DurationText.format(age.minus(transaction)) + ", since a transaction may last for "
                            + DurationText.format(transaction));
        }
    }

    /**
     * If the age of the connection is the likely cause of the error, adds that to the error and logs it.
     *
     * @param lines runs the task that logs
     */
    public void explain(SQLException error, long ageNanos, String reservoir, Executor lines) {
        Duration margin = transaction.compareTo(MARGIN_MAX) < 0 ? transaction : MARGIN_MAX;
        if (ageNanos < age.minus(margin).toNanos()) {
            return;
        }
        error.addSuppressed(new Reached("the connection was " + DurationText.formatMillis(ageNanos)
                + " old; the server closes connections at the age of " + DurationText.format(age)
                + ", also those in use: give it back sooner"));
        // Not limited as other lines are, because each line stands for a connection that was in use for almost as long
        // as the server allows.
        lines.execute(() -> log.warn(
                "Reservoir: a connection broke at the age at which the server closes it, while in use  age={} limit={}"
                        + " reservoir={}",
                DurationText.formatMillis(ageNanos),
                DurationText.format(age),
                reservoir));
    }

    /** Added to the error of the driver. */
    private static final class Reached extends SQLException {
        private static final long serialVersionUID = 1L;

        Reached(String message) {
            super(message, "08006");
        }
    }
}
