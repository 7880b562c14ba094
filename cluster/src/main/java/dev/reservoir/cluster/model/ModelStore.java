package dev.reservoir.cluster.model;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One caller's way to a {@link ModelTable}: half of the latency there, half of it back. A call that is on its way arrives even
 * if its caller has died meanwhile. Not for several threads.
 */
public final class ModelStore implements Store {
    /** After which a caller gives up a call that is not answered. */
    public static final long TIMEOUT_NANOS = 5_000_000_000L;

    private final ModelTable table;
    private final Time way;
    private final Time caller;
    private final LongSupplier latencyNanos;
    private final Trouble trouble;
    private long calls;
    private long errors;
    private long conflicts;
    private long reads;
    private long writes;
    private double writeUnits;

    /** What goes wrong on the way. Asked once for each call. */
    public interface Trouble {
        /** Whether a call that would arrive now gets lost. */
        boolean isCut();

        /** Whether the answer to a call that was done gets lost. */
        default boolean losesAnswer() {
            return false;
        }

        /** Whether a transaction meets another one, and is not done. */
        default boolean meetsConflict() {
            return false;
        }
    }

    /**
     * A way to the table.
     *
     * @param way on which calls travel
     * @param caller on which the caller hears of answers, and of there being none
     * @param latencyNanos drawn for every call
     */
    public ModelStore(ModelTable table, Time way, Time caller, LongSupplier latencyNanos, Trouble trouble) {
        this.table = table;
        this.way = way;
        this.caller = caller;
        this.latencyNanos = latencyNanos;
        this.trouble = trouble;
    }

    /**
     * A way to the table on which calls get lost at times.
     *
     * @param time on which the latency passes; what comes back is delivered on it
     * @param latencyNanos drawn for every call
     * @param cut whether calls get lost now
     */
    public ModelStore(ModelTable table, Time time, LongSupplier latencyNanos, BooleanSupplier cut) {
        this(table, time, time, latencyNanos, cut::getAsBoolean);
    }

    /** Reckons one unit of write capacity for an item, two in a transaction, and half a unit for an item that is read. */
    @Override
    public StoreCounts counts() {
        return new StoreCounts(calls, errors, 0, conflicts, reads, writes, reads / 2.0, writeUnits);
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        reads += keys.size();
        return new Call<>(() -> table.read(keys), false).send();
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        writes++;
        writeUnits++;
        return new Call<>(() -> table.write(write), false).send();
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> items, String token) {
        writes += items.size();
        writeUnits += 2.0 * items.size();
        return new Call<>(() -> table.transact(items, token), true).send();
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return new Call<>(() -> table.list(keyPrefix, after), false).send();
    }

    /** One call: its way there, and what becomes of it. */
    private final class Call<T> implements Runnable {
        private final Supplier<T> work;
        private final boolean transaction;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private long oneWayNanos;

        /** Whether its caller has given it up by the time that it is answered. */
        private boolean late;

        Call(Supplier<T> work, boolean transaction) {
            this.work = work;
            this.transaction = transaction;
        }

        CompletionStage<T> send() {
            calls++;
            long latency = latencyNanos.getAsLong();
            oneWayNanos = latency / 2;
            if (latency > TIMEOUT_NANOS) {
                giveUpAfter(TIMEOUT_NANOS);
                late = true;
            }
            after(way, oneWayNanos, this);
            return answer;
        }

        /** It arrives. */
        @Override
        public void run() {
            if (trouble.isCut()) {
                giveUpAfter(TIMEOUT_NANOS - oneWayNanos);
            } else if (transaction && trouble.meetsConflict()) {
                conflicts++;
                fail(new StoreException(
                        Kind.CONFLICT, "another transaction has these items", table.nowSeconds(), null));
            } else {
                work();
            }
        }

        private void work() {
            T result;
            try {
                result = work.get();
            } catch (StoreException e) {
                fail(e);
                return;
            }
            if (trouble.losesAnswer()) {
                giveUpAfter(TIMEOUT_NANOS - oneWayNanos);
            } else if (!late) {
                after(caller, oneWayNanos, () -> answer.complete(result));
            }
        }

        /** What takes no time is done at once: simulations have many such calls. */
        private void after(Time time, long nanos, Runnable task) {
            if (nanos == 0) {
                task.run();
            } else {
                time.schedule(nanos, task);
            }
        }

        private void giveUpAfter(long nanos) {
            if (!late) {
                errors++;
                caller.schedule(nanos, () -> answer.completeExceptionally(noAnswer()));
            }
        }

        private void fail(StoreException error) {
            if (!late) {
                errors++;
                after(caller, oneWayNanos, () -> answer.completeExceptionally(error));
            }
        }
    }

    private static StoreException noAnswer() {
        return new StoreException(Kind.UNAVAILABLE, "no answer within 5 s", -1, null);
    }
}
