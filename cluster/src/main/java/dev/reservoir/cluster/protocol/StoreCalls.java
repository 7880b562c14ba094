package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.protocol.BudgetHealth.StoreHealth;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.spi.Time;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls to a store from the serial executor and delivers the answers on it. Reports each outcome to the clock and
 * to {@link StoreHealth}. Each call is answered exactly once, and within a bounded time even if the store breaks its
 * contract. Used only on the budget's serial executor.
 */
public record StoreCalls(Store store, Time time, SerialExecutor serial, StoreClock clock, StoreHealth storeHealth) {
    /** Time after which a call counts as lost. The store itself gives up earlier. */
    public static final long LOST_NANOS = 8_000_000_000L;

    /** Receives the outcome of a call: an answer or an error. Called on the serial executor. */
    @FunctionalInterface
    public interface Callback {
        void accept(@Nullable Answer answer, @Nullable StoreException error, long sentNanos);
    }

    public void send(Function<Store, CompletionStage<Answer>> call, Callback callback) {
        serial.later(new Sent(call, callback));
    }

    private static StoreException asStoreException(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof StoreException known
                ? known
                : new StoreException(Kind.UNAVAILABLE, String.valueOf(cause), -1, cause);
    }

    private static StoreException lost(String message) {
        return new StoreException(Kind.UNAVAILABLE, message);
    }

    /** One call. It runs when it is sent, and it is the function that takes the answer. */
    private final class Sent implements Runnable, BiFunction<@Nullable Answer, @Nullable Throwable, @Nullable Void> {
        private final Function<Store, CompletionStage<Answer>> call;
        private final Callback callback;
        private long sentNanos;
        private Time.@Nullable Timer timer;
        private boolean over;

        Sent(Function<Store, CompletionStage<Answer>> call, Callback callback) {
            this.call = call;
            this.callback = callback;
        }

        @Override
        public void run() {
            sentNanos = time.nanos();
            try {
                var unused = Objects.requireNonNull(call.apply(store), "the store returned no stage")
                        .handle(this);
            } catch (RuntimeException | Error e) {
                complete(null, asStoreException(e));
                return;
            }
            serial.enter(this::limitWait);
        }

        @Override
        public @Nullable Void apply(@Nullable Answer answer, @Nullable Throwable error) {
            complete(answer, error == null ? null : asStoreException(error));
            return null;
        }

        /** Limits the wait for the answer, unless it is already here. */
        void limitWait() {
            if (!over) {
                timer = time.schedule(LOST_NANOS, () -> complete(null, lost("no answer within 8 s")));
            }
        }

        void complete(@Nullable Answer answer, @Nullable StoreException error) {
            serial.enter(() -> {
                if (over) {
                    return;
                }
                over = true;
                if (timer != null) {
                    timer.cancel();
                }
                StoreException failure =
                        answer == null && error == null ? lost("the store answered with nothing") : error;
                long seconds = answer != null ? answer.storeSeconds() : failure == null ? -1 : failure.storeSeconds();
                clock.answered(seconds, sentNanos, time.nanos());
                if (failure == null) {
                    storeHealth.answered();
                } else {
                    storeHealth.failed(failure);
                }
                callback.accept(failure == null ? answer : null, failure, sentNanos);
            });
        }
    }
}
