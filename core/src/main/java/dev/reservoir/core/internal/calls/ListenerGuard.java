package dev.reservoir.core.internal.calls;

import dev.reservoir.core.spi.Listener;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners what happened. A listener that throws harms nobody: its first exception is logged, the rest are not. One that
 * hangs delays only other listeners: it is called on a thread of its own, but for listeners that {@linkplain
 * Listener#neverBlocks never block} and for checkouts and releases, which are told on the caller's thread to those who ask for it.
 *
 * @param <T> the connection
 */
public final class ListenerGuard<T> {
    private static final Logger log = LoggerFactory.getLogger(ListenerGuard.class);

    private final Listener<T>[] direct;
    private final Listener<T>[] deferred;
    private final Listener<T>[] ofCheckouts;
    private final EventDispatcher events;
    private final AtomicBoolean complained = new AtomicBoolean();

    public ListenerGuard(List<? extends Listener<T>> listeners, EventDispatcher events) {
        direct = listeners.stream().filter(Listener::neverBlocks).toArray(ListenerGuard::newArray);
        deferred = listeners.stream().filter(l -> !l.neverBlocks()).toArray(ListenerGuard::newArray);
        ofCheckouts = listeners.stream().filter(Listener::hearsCheckouts).toArray(ListenerGuard::newArray);
        this.events = events;
    }

    /** Whether anybody wants to hear of loans and returns. */
    public boolean hearsCheckouts() {
        return ofCheckouts.length > 0;
    }

    public void tell(Consumer<Listener<T>> event) {
        tell(direct, event);
        if (deferred.length > 0) {
            events.run(() -> tell(deferred, event));
        }
    }

    public void tellOfCheckout(Consumer<Listener<T>> event) {
        tell(ofCheckouts, event);
    }

    private void tell(Listener<T>[] listeners, Consumer<Listener<T>> event) {
        for (Listener<T> listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                if (complained.compareAndSet(false, true)) {
                    events.run(() -> log.warn(
                            "a listener threw an exception, which is ignored from now on  listener={}", listener, e));
                }
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> Listener<T>[] newArray(int length) {
        return new Listener[length];
    }
}
