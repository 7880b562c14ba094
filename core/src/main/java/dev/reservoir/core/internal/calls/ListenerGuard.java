package dev.reservoir.core.internal.calls;

import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.util.EventDispatcher;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
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
    private final Listener<T>[] ofValidations;
    private final Listener<T>[] ofValidationsDeferred;
    private final EventDispatcher events;
    private final AtomicBoolean complained = new AtomicBoolean();

    public ListenerGuard(List<? extends Listener<T>> listeners, EventDispatcher events) {
        direct = those(listeners, Listener::neverBlocks);
        deferred = those(listeners, l -> !l.neverBlocks());
        ofCheckouts = those(listeners, Listener::wantsCheckouts);
        ofValidations = those(listeners, l -> l.wantsValidations() && l.neverBlocks());
        ofValidationsDeferred = those(listeners, l -> l.wantsValidations() && !l.neverBlocks());
        this.events = events;
    }

    private static <T> Listener<T>[] those(List<? extends Listener<T>> listeners, Predicate<Listener<T>> which) {
        return listeners.stream().filter(which).toArray(ListenerGuard::newArray);
    }

    /** Whether any listener wants to be told of checkouts and releases. */
    public boolean wantsCheckouts() {
        return ofCheckouts.length > 0;
    }

    /** Whether any listener wants to be told of validations. */
    public boolean wantsValidations() {
        return ofValidations.length + ofValidationsDeferred.length > 0;
    }

    public void tell(Consumer<Listener<T>> event) {
        tell(direct, deferred, event);
    }

    /** Tells only listeners that want validations. An idle reservoir must not wake a thread for the others. */
    public void tellOfValidation(Consumer<Listener<T>> event) {
        tell(ofValidations, ofValidationsDeferred, event);
    }

    private void tell(Listener<T>[] atOnce, Listener<T>[] later, Consumer<Listener<T>> event) {
        tell(atOnce, event);
        if (later.length > 0) {
            events.run(() -> tell(later, event));
        }
    }

    /** Tells listeners that never block, on this thread. A caller runs this on its way, so it allocates nothing. */
    public void foundReady(long tookNanos, int checkouts) {
        for (Listener<T> listener : direct) {
            try {
                listener.foundReady(tookNanos, checkouts);
            } catch (Throwable e) {
                complain(listener, e);
            }
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
                complain(listener, e);
            }
        }
    }

    private void complain(Listener<T> listener, Throwable error) {
        if (complained.compareAndSet(false, true)) {
            events.run(() -> log.warn(
                    "Reservoir: a listener threw an exception, later ones are not logged  listener={}",
                    listener,
                    error));
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> Listener<T>[] newArray(int length) {
        return new Listener[length];
    }
}
