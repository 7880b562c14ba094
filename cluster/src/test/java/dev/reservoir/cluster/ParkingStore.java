package dev.reservoir.cluster;

import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A way to a table on which every call waits until it is said what becomes of it. */
final class ParkingStore implements Store {
    private final ModelTable table;
    private final ArrayDeque<Parked> parked = new ArrayDeque<>();

    ParkingStore(ModelTable table) {
        this.table = table;
    }

    boolean isEmpty() {
        return parked.isEmpty();
    }

    int size() {
        return parked.size();
    }

    /** What the oldest call touches. */
    Touch touch() {
        return parked.getFirst().touch;
    }

    /** The oldest call arrives, and so does its answer. */
    void deliver() {
        Parked call = parked.remove();
        Answer answer = call.work.get();
        call.answer.complete(answer);
    }

    /** The oldest call arrives; its answer gets lost. */
    void loseAnswer() {
        Parked call = parked.remove();
        var unused = call.work.get();
        call.answer.completeExceptionally(failure(Kind.UNAVAILABLE));
    }

    /** The oldest call gets lost, or is refused without having been done. */
    void fail(Kind kind) {
        parked.remove().answer.completeExceptionally(failure(kind));
    }

    /** The oldest call is given up by its caller, and arrives when this is run. */
    Runnable postpone() {
        Parked call = parked.remove();
        call.answer.completeExceptionally(failure(Kind.UNAVAILABLE));
        return () -> {
            var unused = call.work.get();
        };
    }

    private static StoreException failure(Kind kind) {
        return new StoreException(kind, "as chosen: " + kind, -1, null);
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        return park(() -> table.read(keys), new Touch("read", Set.of(), Set.copyOf(keys)));
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        return park(() -> table.write(write), new Touch("write", Set.of(write.key()), Set.of()));
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        Set<String> keys = writes.stream().map(Write::key).collect(Collectors.toSet());
        return park(() -> table.transact(writes, token), new Touch("transaction", keys, Set.of()));
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        throw new UnsupportedOperationException("not needed here");
    }

    @Override
    public StoreCounts counts() {
        return StoreCounts.NONE;
    }

    private CompletionStage<Answer> park(Supplier<Answer> work, Touch touch) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        parked.add(new Parked(work, answer, touch));
        return answer;
    }

    /** What a call touches; two that do not depend on each other can be done in either order. */
    record Touch(String kind, Set<String> written, Set<String> read) {
        static final Touch NOTHING = new Touch("nothing", Set.of(), Set.of());
        static final Touch EVERYTHING = new Touch("everything", Set.of(), Set.of());

        boolean dependsOn(Touch other) {
            return equals(EVERYTHING)
                    || other.equals(EVERYTHING)
                    || meet(written, other.written)
                    || meet(written, other.read)
                    || meet(read, other.written);
        }

        private static boolean meet(Set<String> some, Set<String> others) {
            Set<String> both = new HashSet<>(some);
            both.retainAll(others);
            return !both.isEmpty();
        }
    }

    private record Parked(Supplier<Answer> work, CompletableFuture<Answer> answer, Touch touch) {}
}
