package dev.reservoir.core.internal.opening;

import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.util.EventDispatcher;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wraps a foreign source of permits, so that its hints can do no harm. If the source reports a rate that makes no
 * sense, or fails to report one, the last valid rate stays in force. The keeper asks for the rate under its lock, so
 * another thread writes the log line about a failure.
 */
public final class GuardedPermits implements Permits {
    private static final Logger log = LoggerFactory.getLogger(GuardedPermits.class);

    private final Permits permits;
    private final EventDispatcher events;
    private volatile double lastRatePerSecond = Double.POSITIVE_INFINITY;

    public GuardedPermits(Permits permits, EventDispatcher events) {
        this.permits = permits;
        this.events = events;
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
            events.run(() -> log.debug("Reservoir: the source of permits did not report its rate", e));
        }
        return lastRatePerSecond;
    }

    @Override
    public String describe() {
        return permits.describe();
    }
}
