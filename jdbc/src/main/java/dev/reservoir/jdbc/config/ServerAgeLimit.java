package dev.reservoir.jdbc.config;

import dev.reservoir.core.Settings;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The age at which the server closes a connection by itself, whoever uses it. Refuses lifetimes that would let that happen, and
 * explains the error of a connection to which it happened all the same, because it was on loan for too long.
 *
 * @param age how old a connection may get
 * @param transaction how long a transaction may last that was begun at the last moment in which a connection is lent
 */
public record ServerAgeLimit(Duration age, Duration transaction) {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    /** The server counts from a little before the connection stood, and need not be exact. */
    private static final Duration MARGIN_MAX = Duration.ofSeconds(30);

    public ServerAgeLimit {
        Config.within("serverAgeLimit", age, Duration.ofSeconds(1));
        Config.within("the longest transaction under serverAgeLimit", transaction, Duration.ZERO);
    }

    /** Refuses settings with which a connection could be met by the server's limit. */
    void check(Settings settings) {
        long longest = settings.baseLifetimeNanos() + settings.lifetimeJitterNanos() / 2;
        long lastCheckout = longest - Math.min(longest, settings.guardWindowNanos());
        if (longest >= age.toNanos() || lastCheckout > age.minus(transaction).toNanos()) {
            throw new IllegalArgumentException("baseLifetime is " + DurationText.format(settings.baseLifetimeNanos())
                    + " with a lifetimeJitter of " + DurationText.format(settings.lifetimeJitterNanos())
                    + " and a guardWindow of " + DurationText.format(settings.guardWindowNanos())
                    + ", so connections live for up to " + DurationText.format(longest)
                    + " and are handed out for up to "
                    + DurationText.format(lastCheckout) + "; allowed: less than " + DurationText.format(age)
                    + ", when the server closes them, and handed out for up to "
                    + DurationText.format(age.minus(transaction)) + ", since a transaction may last for "
                    + DurationText.format(transaction));
        }
    }

    /** Adds to the error of a connection of this age that its age is the likely cause, if it is, and writes it to the log. */
    public void explain(SQLException error, long ageNanos, String reservoir) {
        Duration margin = transaction.compareTo(MARGIN_MAX) < 0 ? transaction : MARGIN_MAX;
        if (ageNanos < age.minus(margin).toNanos()) {
            return;
        }
        error.addSuppressed(new Reached("the connection was " + DurationText.formatMillis(ageNanos)
                + " old; the server closes connections at the age of " + DurationText.format(age)
                + ", also those in use: give it back sooner"));
        // Not held back as others are: each stands for a loan that lasted almost as long as the server allows.
        log.warn(
                "Reservoir: a connection broke at the age at which the server closes it, while in use  age={} limit={}"
                        + " reservoir={}",
                DurationText.formatMillis(ageNanos),
                DurationText.format(age),
                reservoir);
    }

    /** Stands beside the error that the driver threw. */
    private static final class Reached extends SQLException {
        private static final long serialVersionUID = 1L;

        Reached(String message) {
            super(message, "08006");
        }
    }
}
