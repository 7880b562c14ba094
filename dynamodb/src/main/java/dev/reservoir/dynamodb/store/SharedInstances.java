package dev.reservoir.dynamodb.store;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Shares one instance for each key among all users in a process. The first user creates it, and the last one closes it.
 * Never closes an instance that is still in use.
 */
public final class SharedInstances<K, V> {
    /** Guarded by itself. Instances are created under the lock, so that there is one for each key. */
    private final Map<K, Counted<V>> byKey = new HashMap<>();

    private final Consumer<V> closing;

    /**
     * An empty set of instances.
     *
     * @param closing closes an instance that nobody uses any more; may block
     */
    public SharedInstances(Consumer<V> closing) {
        this.closing = closing;
    }

    /**
     * Returns a handle to the instance for this key. Blocks while the instance is created.
     *
     * @param acceptable checks an existing instance, and throws if it is not what the caller wants
     */
    public Handle acquire(K key, Supplier<V> making, Consumer<V> acceptable) {
        synchronized (byKey) {
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
        synchronized (byKey) {
            counted.holders--;
            return counted.holders == 0 && byKey.remove(key, counted);
        }
    }

    /** One user's handle to an instance. */
    public final class Handle implements AutoCloseable {
        private final K key;
        private final Counted<V> counted;
        private final AtomicBoolean released = new AtomicBoolean();

        private Handle(K key, Counted<V> counted) {
            this.key = key;
            this.counted = counted;
        }

        public V value() {
            return counted.value;
        }

        /** Releases the instance. A second call does nothing. The last handle closes it, and blocks for that. */
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
