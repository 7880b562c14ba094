package dev.reservoir.core.internal.calls;

import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.util.EventDispatcher;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners about events and keeps the engine safe from them. It logs the first exception that a listener throws
 * and ignores the others. A listener that hangs delays only other listeners, because listeners have a thread of their
 * own. There are two exceptions: listeners that {@linkplain Listener#neverBlocks never block} are called on the thread
 * of the event, and listeners that want checkouts and releases are told of these on the caller's thread.
 *
 * @param <T> the connection
 */
public final class ListenerGuard<T> {
    private static final Logger log = LoggerFactory.getLogger(ListenerGuard.class);

    private final Listener<T>[] direct;
    private final Listener<T>[] deferred;
    private final Listener<T>[] ofCheckouts;
    private final boolean wantsValidations;
    private final EventDispatcher events;
    private final AtomicBoolean complained = new AtomicBoolean();

    public ListenerGuard(List<? extends Listener<T>> listeners, EventDispatcher events) {
        direct = listeners.stream().filter(Listener::neverBlocks).toArray(ListenerGuard::newArray);
        deferred = listeners.stream().filter(l -> !l.neverBlocks()).toArray(ListenerGuard::newArray);
        ofCheckouts = listeners.stream().filter(Listener::wantsCheckouts).toArray(ListenerGuard::newArray);
        wantsValidations = listeners.stream().anyMatch(Listener::wantsValidations);
        this.events = events;
    }

    /** Whether any listener wants to be told of checkouts and releases. */
    public boolean wantsCheckouts() {
        return ofCheckouts.length > 0;
    }

    /** Whether any listener wants to be told of validations. */
    public boolean wantsValidations() {
        return wantsValidations;
    }

    public void tell(Consumer<Listener<T>> event) {
        tell(direct, event);
        if (deferred.length > 0) {
            events.run(() -> tell(deferred, event));
        }
    }

    /** Tells only listeners that never block, on this thread. */
    public void tellAtOnce(Consumer<Listener<T>> event) {
        tell(direct, event);
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
                            "Reservoir: a listener threw an exception, later ones are not logged  listener={}",
                            listener,
                            e));
                }
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> Listener<T>[] newArray(int length) {
        return new Listener[length];
    }
}
