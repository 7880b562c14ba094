package dev.reservoir.cluster.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.model.ModelStore.Trouble;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ModelStoreTest {
    private static final long MILLI = 1_000_000L;

    private final VirtualTime way = new VirtualTime();
    private final Caller caller = new Caller();
    private final ModelTable table = new ModelTable(() -> 1_700_000_000L);
    private long latencyNanos = 10 * MILLI;
    private boolean cut;
    private boolean loses;
    private boolean conflicts;
    private final ModelStore store = new ModelStore(table, way, caller, () -> latencyNanos, new Trouble() {
        @Override
        public boolean isCut() {
            return cut;
        }

        @Override
        public boolean losesAnswer() {
            return loses;
        }

        @Override
        public boolean meetsConflict() {
            return conflicts;
        }
    });

    /** A process that may be dead. */
    private final class Caller implements Time {
        private boolean dead;

        @Override
        public long nanos() {
            return way.nanos();
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            return way.schedule(delayNanos, () -> {
                if (!dead) {
                    task.run();
                }
            });
        }

        @Override
        public void execute(Runnable task) {
            schedule(0, task);
        }
    }

    private CompletableFuture<Answer> add() {
        return future(store.write(Write.update("k", List.of(Change.add("n", 1)))));
    }

    private CompletableFuture<Answer> transact() {
        return future(store.transact(List.of(Write.update("k", List.of(Change.add("n", 1)))), "token"));
    }

    private static CompletableFuture<Answer> future(CompletionStage<Answer> stage) {
        return stage.toCompletableFuture();
    }

    private long n() {
        var item = table.item("k");
        return item == null ? 0 : item.number("n", 0);
    }

    private static Kind kind(CompletableFuture<Answer> answer) {
        Throwable error = answer.handle((value, failure) -> failure).join();
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause instanceof StoreException known ? known.kind() : Kind.REFUSED;
    }

    private void passMillis(long millis) {
        way.advance(millis * MILLI);
    }

    @Test
    void aCallTakesHalfOfTheLatencyThereAndHalfBack() {
        CompletableFuture<Answer> answer = add();
        passMillis(4);
        assertThat(n()).isZero();
        passMillis(1);
        assertThat(n()).isEqualTo(1);
        assertThat(answer).isNotDone();
        passMillis(5);
        assertThat(answer).isCompletedWithValueMatching(Answer::applied);
    }

    @Test
    void aCallThatIsOnItsWayArrivesAlthoughItsCallerHasDied() {
        CompletableFuture<Answer> answer = add();
        caller.dead = true;
        passMillis(10_000);
        assertThat(n()).isEqualTo(1);
        assertThat(answer).isNotDone();
    }

    @Test
    void whatIsCutOffIsNotDoneAndNotAnswered() {
        cut = true;
        CompletableFuture<Answer> answer = add();
        passMillis(4_999);
        assertThat(answer).isNotDone();
        passMillis(1);
        assertThat(kind(answer)).isEqualTo(Kind.UNAVAILABLE);
        assertThat(n()).isZero();
        assertThat(store.counts().errors()).isEqualTo(1);
    }

    @Test
    void anAnswerThatGetsLostWasDone() {
        loses = true;
        CompletableFuture<Answer> answer = add();
        passMillis(5_000);
        assertThat(kind(answer)).isEqualTo(Kind.UNAVAILABLE);
        assertThat(n()).isEqualTo(1);
    }

    @Test
    void aTransactionThatMeetsAnotherIsNotDoneAndSaysSo() {
        conflicts = true;
        CompletableFuture<Answer> answer = transact();
        CompletableFuture<Answer> single = add();
        passMillis(10);
        assertThat(kind(answer)).isEqualTo(Kind.CONFLICT);
        assertThat(single).isCompletedWithValueMatching(Answer::applied);
        assertThat(n()).isEqualTo(1);
        assertThat(store.counts().conflicts()).isEqualTo(1);
    }

    @Test
    void aCallThatTakesTooLongIsGivenUpAndDoneAllTheSame() {
        latencyNanos = Duration.ofSeconds(20).toNanos();
        CompletableFuture<Answer> answer = add();
        passMillis(5_000);
        assertThat(kind(answer)).isEqualTo(Kind.UNAVAILABLE);
        assertThat(n()).isZero();
        passMillis(5_000);
        assertThat(n()).isEqualTo(1);
        passMillis(60_000);
        assertThat(store.counts().errors()).isEqualTo(1);
    }

    @Test
    void theTableShowsItsItemsInOrderAndCountsItsChanges() {
        long before = table.changes();
        table.write(Write.put("b#2", List.of(Change.set("n", 2))));
        table.write(Write.put("b#1", List.of(Change.set("n", 1))));
        table.write(Write.put("c#1", List.of(Change.set("n", 3))));
        assertThat(table.changes()).isEqualTo(before + 3);
        StringBuilder seen = new StringBuilder();
        table.forEach(
                "b#",
                (key, item) ->
                        seen.append(key).append('=').append(item.number("n", 0)).append(' '));
        assertThat(seen.toString()).isEqualTo("b#1=1 b#2=2 ");
        assertThat(table.changes()).isEqualTo(before + 3);
    }

    @Test
    void aTokenIsForgottenAfterTenMinutes() {
        long[] now = {1_700_000_000L};
        ModelTable timed = new ModelTable(() -> now[0]);
        List<Write> writes = List.of(Write.update("k", List.of(Change.add("n", 1))));
        for (int second = 0; second < 3; second++) {
            timed.transact(writes, "token-" + second);
            now[0]++;
        }
        now[0] = 1_700_000_601L;
        // The first is forgotten by now, the second is not.
        timed.transact(writes, "token-0");
        timed.transact(writes, "token-1");
        assertThat(timed.items().get("k").number("n", 0)).isEqualTo(4);
    }
}
