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
 * One caller's connection to a {@link ModelTable}. A call takes half of the latency to arrive, and its answer takes the
 * other half. A call that is on its way arrives even if its caller has died. Not safe for use by several threads.
 */
public final class ModelStore implements Store {
    /** Time after which a caller gives up a call that is not answered. */
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

    /** If the table charges for calls: the read units that it has charged for calls of this store. */
    private double chargedReads;

    private double chargedWrites;

    /** The faults on the way. Asked once for each call. */
    public interface Trouble {
        /** Whether a call that would arrive now is lost. */
        boolean isCut();

        /** Whether the answer to a call that was done is lost. */
        default boolean losesAnswer() {
            return false;
        }

        /** Whether a write or a transaction is throttled and not applied. Reads are never throttled here. */
        default boolean throttlesWrite() {
            return false;
        }

        /** Whether a transaction conflicts with another one and is not applied. */
        default boolean meetsConflict() {
            return false;
        }
    }

    /**
     * A connection to the table.
     *
     * @param way the time on which calls travel
     * @param caller the time on which the caller receives answers and timeouts
     * @param latencyNanos the latency, drawn for every call
     */
    public ModelStore(ModelTable table, Time way, Time caller, LongSupplier latencyNanos, Trouble trouble) {
        this.table = table;
        this.way = way;
        this.caller = caller;
        this.latencyNanos = latencyNanos;
        this.trouble = trouble;
    }

    /**
     * A connection to the table on which calls are lost at times.
     *
     * @param time the time on which the latency passes and answers are delivered
     * @param latencyNanos the latency, drawn for every call
     * @param cut whether calls are lost now
     */
    public ModelStore(ModelTable table, Time time, LongSupplier latencyNanos, BooleanSupplier cut) {
        this(table, time, time, latencyNanos, cut::getAsBoolean);
    }

    /**
     * Returns the calls so far and their cost. If the table charges nothing, an item counts as one write unit, as two
     * in a transaction, and as half a read unit if it is read.
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

    /** One call: its way to the table, and its outcome. */
    private final class Call<T> implements Runnable {
        private final Supplier<T> work;
        private final Kinds kind;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private long oneWayNanos;

        /** Whether the caller has given up the call before the answer arrives. */
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

        /** The call arrives at the table. */
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

        /** Runs the task at once if it takes no time, because simulations have many such calls. */
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
                caller.schedule(
                        nanos,
                        () -> answer.completeExceptionally(
                                new StoreException(Kind.UNAVAILABLE, "no answer within 5 s")));
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
}
