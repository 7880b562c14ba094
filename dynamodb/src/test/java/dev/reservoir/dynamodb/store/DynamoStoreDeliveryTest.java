package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where answers arrive, and that each does. */
class DynamoStoreDeliveryTest {
    private static final Write WRITE = Write.update("a", List.of(Change.add("count", 1)));
    private static final String FOUND = "{\"pk\":{\"S\":\"a\"},\"count\":{\"N\":\"3\"}}";

    private final ExecutorService engine = Executors.newSingleThreadExecutor(task -> new Thread(task, "engine"));
    private final FakeDynamo dynamo = new FakeDynamo();
    private final DynamoClient client = dynamo.client();
    private final DynamoStore store = new DynamoStore(client, "budget", engine);

    /** Delivers nothing before somebody listens. */
    private final Semaphore listening = new Semaphore(0);

    private final DynamoStore patient = new DynamoStore(
            client,
            "budget",
            task -> engine.execute(() -> {
                listening.acquireUninterruptibly();
                task.run();
            }));

    @AfterEach
    void close() {
        client.close();
        dynamo.close();
        engine.shutdownNow();
    }

    @Test
    void answersErrorsAndRefusalsArriveOnTheGivenExecutor() throws Exception {
        dynamo.answers(200, "{\"Attributes\":" + FOUND + "}")
                .fails(400, "ThrottlingException", "slower")
                .hangsUp()
                .fails(400, "ConditionalCheckFailedException", "no");

        for (int i = 0; i < 4; i++) {
            assertThat(threadOf(patient.write(WRITE))).isEqualTo("engine");
        }
        assertThat(threadOf(patient.write(Write.put("a", List.of(Change.add("count", 1))))))
                .isEqualTo("engine");
    }

    @Test
    void aTimeOutArrivesOnTheGivenExecutor() throws Exception {
        dynamo.hangs();

        assertThat(threadOf(patient.write(WRITE))).isEqualTo("engine");
    }

    @Test
    void anExecutorThatTakesNothingMoreDoesNotSwallowAnAnswer() {
        dynamo.answers(200, "{\"Attributes\":" + FOUND + "}");
        engine.shutdown();

        assertThat(Local.wait(store.write(WRITE)).applied()).isTrue();
    }

    @Test
    void anAnswerWithoutADateHasNoClock() {
        dynamo.answers(200, "{\"Attributes\":" + FOUND + "}");

        assertThat(Local.wait(store.write(WRITE)).storeSeconds()).isEqualTo(-1);
    }

    @Test
    void whatWasNotReadIsAskedForAgain() {
        dynamo.answers(200, batch("", key("a") + "," + key("b")))
                .answers(200, batch(FOUND, key("b")))
                .answers(200, batch("", ""), "Date: " + FakeDynamo.DATE);

        Answer answer = Local.wait(store.read(List.of("a", "b"), true));

        assertThat(answer.items().get(0).number("count", 0)).isEqualTo(3);
        assertThat(answer.items().get(1)).isNull();
        assertThat(answer.storeSeconds()).isEqualTo(FakeDynamo.DATE_SECONDS);
        assertThat(store.counts().calls()).isEqualTo(3);
        assertThat(store.counts().itemsRead()).isEqualTo(2);
        assertThat(dynamo.requests().get(2).body()).contains("\"b\"").doesNotContain("\"a\"");
    }

    @Test
    void whatIsNeverReadIsThrottled() {
        dynamo.answers(200, batch("", key("a") + "," + key("b")));

        assertThatThrownBy(() -> Local.wait(store.read(List.of("a", "b"), true)))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.THROTTLED))
                .hasMessageContaining("2 of 2 items");
        assertThat(dynamo.requests()).hasSize(5);
        assertThat(store.counts().throttled()).isEqualTo(1);
    }

    @Test
    void anErrorInTheMiddleOfAReadEndsIt() {
        dynamo.answers(200, batch(FOUND, key("b"))).fails(500, "InternalServerError", "sorry");

        assertThatThrownBy(() -> Local.wait(store.read(List.of("a", "b"), true)))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE));
    }

    @Test
    void manyCallsAtOnceAreAllAnswered() {
        dynamo.answers(200, "{\"Attributes\":" + FOUND + "}");
        List<CompletionStage<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            answers.add(store.write(WRITE));
        }

        for (CompletionStage<Answer> answer : answers) {
            try {
                assertThat(Local.wait(answer).applied()).isTrue();
            } catch (StoreException slowDay) {
                assertThat(slowDay.kind()).isEqualTo(Kind.UNAVAILABLE);
            }
        }
        assertThat(store.counts().calls()).isEqualTo(300);
    }

    private String threadOf(CompletionStage<Answer> stage) throws Exception {
        CompletableFuture<String> name = new CompletableFuture<>();
        CompletionStage<Answer> told = stage.whenComplete(
                (answer, error) -> name.complete(Thread.currentThread().getName()));
        assertThat(told).isNotNull();
        listening.release();
        return name.get(30, TimeUnit.SECONDS);
    }

    private static String key(String key) {
        return "{\"pk\":{\"S\":\"" + key + "\"}}";
    }

    private static String batch(String found, String unprocessed) {
        String left = unprocessed.isEmpty() ? "" : "\"budget\":{\"Keys\":[" + unprocessed + "]}";
        return "{\"Responses\":{\"budget\":[" + found + "]},\"UnprocessedKeys\":{" + left + "}}";
    }
}
