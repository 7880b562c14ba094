package dev.reservoir.cluster.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Each call is answered exactly once, even if the store breaks its contract. */
class StoreCallsTest {
    private final VirtualTime time = new VirtualTime();
    private final SerialExecutor serial = new SerialExecutor();
    private final StoreCalls calls = new BudgetContext(
                    ClusterSettings.builder("cluster.example").logged(false).build(),
                    serial,
                    time,
                    () -> Instant.ofEpochSecond(1_700_000_000L, time.nanos()),
                    new SplittableRandom(1))
            .callsTo(new ModelStore(new ModelTable(() -> 1_700_000_000L), time, () -> 0, () -> false));
    private final List<String> answers = new ArrayList<>();

    private void send(Function<Store, CompletionStage<Answer>> call) {
        serial.enter(() -> calls.send(call, (answer, error, sentNanos) -> answers.add(String.valueOf(error))));
        time.advance(Duration.ofSeconds(30).toNanos());
    }

    @Test
    @SuppressWarnings("NullAway") // breaking the contract is what is tested
    void aStoreThatReturnsNoStageFailsTheCall() {
        send(store -> null);
        assertThat(answers).singleElement().asString().contains("the store returned no stage");
    }

    @Test
    void aStoreThatThrowsAnErrorFailsTheCall() {
        send(store -> {
            throw new OutOfMemoryError("made up by a test");
        });
        assertThat(answers).singleElement().asString().contains("made up by a test");
    }

    @Test
    void aStoreThatNeverAnswersFailsTheCallAfterABoundedTime() {
        send(store -> new CompletableFuture<>());
        assertThat(answers).singleElement().asString().contains("no answer within 8 s");
    }
}
