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
            begin(new Demand(subscriber));
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

    /** Sends no row before the subscriber has its subscription. */
    private void begin(Demand demand) {
        try {
            demand.subscriber.onSubscribe(demand);
        } catch (RuntimeException | Error e) {
            core.close();
            throw e;
        }
        demand.subscribed();
    }

    private final class Demand implements Flow.Subscription {
        private final Flow.Subscriber<? super T> subscriber;

        /** Guarded by this object's lock. */
        private long requested;

        /** Whether a task sends rows or is about to, or the subscriber does not have its subscription yet. */
        private boolean running = true;

        private boolean over;
        private @Nullable Throwable misuse;

        Demand(Flow.Subscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        void subscribed() {
            boolean emits;
            synchronized (this) {
                emits = !over && (requested > 0 || misuse != null);
                running = emits;
            }
            if (emits) {
                emitInBackground();
            } else {
                closeIfOver();
            }
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
            emitInBackground();
        }

        private void emitInBackground() {
            core.pool().inBackground(this::emit, () -> end(new IllegalStateException("the pool is closed")));
        }

        /** While rows are sent, only stops the stream: the mapper may read vectors, which a close would free. */
        @Override
        public void cancel() {
            boolean busy;
            synchronized (this) {
                if (over) {
                    return;
                }
                over = true;
                busy = running;
            }
            if (busy) {
                core.abort();
            } else {
                core.close();
            }
        }

        private void closeIfOver() {
            boolean close;
            synchronized (this) {
                close = over;
            }
            if (close) {
                core.close();
            }
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
                closeIfOver();
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
            boolean cancelled;
            synchronized (this) {
                running = false;
                cancelled = over;
                over = true;
            }
            core.close();
            if (cancelled) {
                return;
            }
            if (error == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(error);
            }
        }
    }
}
