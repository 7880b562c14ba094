package dev.reservoir.flightsql.pool;

import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the rows of a result to one subscriber. A task on a worker thread reads as many rows as were requested and
 * then ends, so a subscriber that requests nothing costs no thread. Signals never overlap.
 */
public final class ResultPublisher<T> implements Flow.Publisher<T> {
    private final ResultCore core;
    private final Iterator<T> rows;
    private final AtomicBoolean subscribed = new AtomicBoolean();

    public ResultPublisher(ResultCore core, Iterator<T> rows) {
        this.core = core;
        this.rows = rows;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        if (subscribed.compareAndSet(false, true)) {
            subscriber.onSubscribe(new Demand(subscriber));
            return;
        }
        subscriber.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long count) {}

            @Override
            public void cancel() {}
        });
        subscriber.onError(new IllegalStateException("the result has a subscriber already"));
    }

    private final class Demand implements Flow.Subscription {
        private final Flow.Subscriber<? super T> subscriber;

        /** Guarded by this object's lock. */
        private long requested;

        private boolean running;
        private boolean over;
        private @Nullable Throwable misuse;

        Demand(Flow.Subscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long count) {
            synchronized (this) {
                if (over) {
                    return;
                }
                if (count <= 0) {
                    misuse = new IllegalArgumentException("request is " + count + "; allowed: 1 or more");
                } else {
                    requested = requested + count < 0 ? Long.MAX_VALUE : requested + count;
                }
                if (running) {
                    return;
                }
                running = true;
            }
            core.pool().inBackground(this::emit, () -> end(new IllegalStateException("the pool is closed")));
        }

        @Override
        public void cancel() {
            synchronized (this) {
                if (over) {
                    return;
                }
                over = true;
            }
            core.close();
        }

        private void emit() {
            try {
                while (mayEmit()) {
                    if (!rows.hasNext()) {
                        end(null);
                        return;
                    }
                    subscriber.onNext(Objects.requireNonNull(
                            rows.next(), "the mapper returned null for a row, and a publisher cannot send null"));
                }
            } catch (Throwable e) {
                end(e);
            }
        }

        private boolean mayEmit() throws Throwable {
            synchronized (this) {
                if (misuse != null) {
                    throw misuse;
                }
                if (over || requested == 0) {
                    running = false;
                    return false;
                }
                requested--;
                return true;
            }
        }

        private void end(@Nullable Throwable error) {
            synchronized (this) {
                running = false;
                if (over) {
                    return;
                }
                over = true;
            }
            core.close();
            if (error == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(error);
            }
        }
    }
}
