package dev.reservoir.core.internal.opening;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.util.EventDispatcher;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A source of permits that reports no valid rate does no harm. */
class GuardedPermitsTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(GuardedPermits.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Queue<Runnable> events = new ArrayDeque<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.setLevel(Level.DEBUG);
        logger.setAdditive(false);
        logger.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
        logger.setLevel(null);
        logger.setAdditive(true);
    }

    private Permits guarded(DoubleSupplier rate) {
        Permits source = new Permits() {
            @Override
            public CompletionStage<Permit> acquire(Urgency urgency) {
                return LocalPermits.unlimited().acquire(urgency);
            }

            @Override
            public double ratePerSecond() {
                return rate.getAsDouble();
            }

            @Override
            public String describe() {
                return "";
            }
        };
        return new GuardedPermits(
                source, new EventDispatcher(events::add, org.slf4j.LoggerFactory.getLogger("events")));
    }

    @Test
    void theLastValidRateStaysInForce() {
        double[] rate = {Double.NaN};
        Permits permits = guarded(() -> rate[0]);
        assertThat(permits.ratePerSecond()).isInfinite();
        rate[0] = 5;
        assertThat(permits.ratePerSecond()).isEqualTo(5);
        rate[0] = -1;
        assertThat(permits.ratePerSecond()).isEqualTo(5);
    }

    @Test
    void theKeeperAsksUnderItsLockSoAnotherThreadWritesTheLogLine() {
        Permits permits = guarded(() -> {
            throw new IllegalStateException("cannot tell");
        });
        assertThat(permits.ratePerSecond()).isInfinite();
        assertThat(lines.list).isEmpty();
        assertThat(events).hasSize(1);
        events.remove().run();
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("Reservoir: the source of permits did not report its rate");
    }
}
