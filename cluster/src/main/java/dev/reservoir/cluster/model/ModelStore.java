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
    private long throttled;
    private long conflicts;
    private long reads;
    private long writes;
    private double writeUnits;

    /** Where the table charges for what is asked: what it has charged for calls of this one. */
    private double chargedReads;

    private double chargedWrites;

    /** What goes wrong on the way. Asked once for each call. */
    public interface Trouble {
        /** Whether a call that would arrive now gets lost. */
        boolean isCut();

        /** Whether the answer to a call that was done gets lost. */
        default boolean losesAnswer() {
            return false;
        }

        /** Whether a write or a transaction is throttled, and not done. Reads are not. */
        default boolean throttlesWrite() {
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

    /**
     * Where the table charges for nothing, it reckons one unit of write capacity for an item, two in a transaction, and half a unit for
     * an item that is read.
     */
    @Override
    public StoreCounts counts() {
        boolean charged = table.limits() != null;
        return new StoreCounts(
                calls,
                errors,
                throttled,
                conflicts,
                reads,
                writes,
                charged ? chargedReads : reads / 2.0,
                charged ? chargedWrites : writeUnits);
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        reads += keys.size();
        return new Call<>(() -> table.read(keys, consistent), Kinds.READ).send();
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        writes++;
        writeUnits++;
        return new Call<>(() -> table.write(write), Kinds.WRITE).send();
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> items, String token) {
        writes += items.size();
        writeUnits += 2.0 * items.size();
        return new Call<>(() -> table.transact(items, token), Kinds.TRANSACTION).send();
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return new Call<>(() -> table.list(keyPrefix, after), Kinds.READ).send();
    }

    private enum Kinds {
        READ,
        WRITE,
        TRANSACTION
    }

    /** One call: its way there, and what becomes of it. */
    private final class Call<T> implements Runnable {
        private final Supplier<T> work;
        private final Kinds kind;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private long oneWayNanos;

        /** Whether its caller has given it up by the time that it is answered. */
        private boolean late;

        Call(Supplier<T> work, Kinds kind) {
            this.work = work;
            this.kind = kind;
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
            } else if (kind != Kinds.READ && trouble.throttlesWrite()) {
                fail(new StoreException(Kind.THROTTLED, "writes are throttled", table.nowSeconds(), null));
            } else if (kind == Kinds.TRANSACTION && trouble.meetsConflict()) {
                fail(new StoreException(
                        Kind.CONFLICT, "another transaction has these items", table.nowSeconds(), null));
            } else {
                work();
            }
        }

        private void work() {
            ModelLimits limits = table.limits();
            double readBefore = limits == null ? 0 : limits.readUnits();
            double writtenBefore = limits == null ? 0 : limits.writeUnits();
            T result;
            try {
                result = work.get();
            } catch (StoreException e) {
                fail(e);
                return;
            } finally {
                if (limits != null) {
                    chargedReads += limits.readUnits() - readBefore;
                    chargedWrites += limits.writeUnits() - writtenBefore;
                }
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
            throttled += error.kind() == Kind.THROTTLED ? 1 : 0;
            conflicts += error.kind() == Kind.CONFLICT ? 1 : 0;
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
