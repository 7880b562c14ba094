package dev.reservoir.core.internal.opening;

import dev.reservoir.core.spi.Permits;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Permits from a foreign hand, whose hints cannot harm: a rate that makes no sense, or that cannot be told, leaves the last
 * one in force.
 */
public final class GuardedPermits implements Permits {
    private static final Logger log = LoggerFactory.getLogger(GuardedPermits.class);

    private final Permits permits;
    private volatile double lastRatePerSecond = Double.POSITIVE_INFINITY;

    public GuardedPermits(Permits permits) {
        this.permits = permits;
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        return permits.acquire(urgency);
    }

    @Override
    public double ratePerSecond() {
        try {
            double rate = permits.ratePerSecond();
            if (rate > 0) {
                lastRatePerSecond = rate;
            }
        } catch (RuntimeException e) {
            log.debug("the source of permits could not tell its rate", e);
        }
        return lastRatePerSecond;
    }

    @Override
    public String describe() {
        return permits.describe();
    }
}
