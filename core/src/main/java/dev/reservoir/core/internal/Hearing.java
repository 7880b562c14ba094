package dev.reservoir.core.internal;

import dev.reservoir.core.spi.Listener;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners what happened. A listener that throws harms nobody: its first exception is logged, the rest are not.
 *
 * @param <T> the connection
 */
public final class Hearing<T> {
    private static final Logger log = LoggerFactory.getLogger(Hearing.class);

    private final Listener<T>[] all;
    private final Listener<T>[] ofLoans;
    private final AtomicBoolean complained = new AtomicBoolean();

    public Hearing(List<? extends Listener<T>> listeners) {
        all = listeners.toArray(Hearing::newArray);
        ofLoans = listeners.stream().filter(Listener::hearsLoans).toArray(Hearing::newArray);
    }

    /** Whether anybody wants to hear of loans and returns. */
    public boolean hearsLoans() {
        return ofLoans.length > 0;
    }

    public void tell(Consumer<Listener<T>> event) {
        tell(all, event);
    }

    public void tellOfLoan(Consumer<Listener<T>> event) {
        tell(ofLoans, event);
    }

    private void tell(Listener<T>[] listeners, Consumer<Listener<T>> event) {
        for (Listener<T> listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                if (complained.compareAndSet(false, true)) {
                    log.warn("a listener threw an exception, which is ignored from now on  listener={}", listener, e);
                }
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> Listener<T>[] newArray(int length) {
        return new Listener[length];
    }
}
