package dev.reservoir.dynamodb;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Things of which a process has one for each key, however many ask for it: made for the first, closed by the last. Never
 * closes a thing that somebody still holds.
 */
final class SharedInstances<K, V> {
    /** Guards {@link #byKey}. A thing is made while it is held, so that nobody makes a second one; none is closed. */
    private final Object lock = new Object();

    private final Map<K, Counted<V>> byKey = new HashMap<>();
    private final Consumer<V> closing;

    /**
     * Nothing yet.
     *
     * @param closing what is done with a thing that nobody holds any more; may block
     */
    SharedInstances(Consumer<V> closing) {
        this.closing = closing;
    }

    /**
     * The thing of this key. Blocks while it is made.
     *
     * @param acceptable looks at one that is there already, and throws if it is not what is wanted
     */
    Handle acquire(K key, Supplier<V> making, Consumer<V> acceptable) {
        synchronized (lock) {
            Counted<V> counted = byKey.get(key);
            if (counted == null) {
                counted = new Counted<>(making.get());
                byKey.put(key, counted);
            } else {
                acceptable.accept(counted.value);
            }
            counted.holders++;
            return new Handle(key, counted);
        }
    }

    private boolean isLast(K key, Counted<V> counted) {
        synchronized (lock) {
            counted.holders--;
            return counted.holders == 0 && byKey.remove(key, counted);
        }
    }

    /** One who holds a thing. */
    final class Handle implements AutoCloseable {
        private final K key;
        private final Counted<V> counted;
        private final AtomicBoolean released = new AtomicBoolean();

        private Handle(K key, Counted<V> counted) {
            this.key = key;
            this.counted = counted;
        }

        V value() {
            return counted.value;
        }

        /** Lets go of it; the second time does nothing. Blocks while it is closed, if this was the last. */
        @Override
        public void close() {
            if (released.compareAndSet(false, true) && isLast(key, counted)) {
                closing.accept(counted.value);
            }
        }
    }

    private static final class Counted<V> {
        final V value;
        int holders;

        Counted(V value) {
            this.value = value;
        }
    }
}
