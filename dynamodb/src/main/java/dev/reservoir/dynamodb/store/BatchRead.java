package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/**
 * One read of several items. DynamoDB may answer for only some of them. The read then asks for the rest, a few times
 * and with growing pauses. The parts of a read follow one another, so only one thread at a time touches the result.
 * Never blocks.
 */
final class BatchRead {
    private static final int ASKED_MAX = 5;
    private static final long FIRST_PAUSE_MILLIS = 40;

    /** Time after which a read that is answered in parts is given up. It is one second longer than a call may take. */
    private static final long PATIENCE_NANOS =
            DynamoClient.CALL_TIMEOUT.plusSeconds(1).toNanos();

    private final long startNanos = System.nanoTime();

    private final DynamoCalls calls;
    private final String table;
    private final List<String> keys;
    private final boolean consistent;
    private final Map<String, Item> found = new HashMap<>();
    private final CompletableFuture<Answer> result = new CompletableFuture<>();

    BatchRead(DynamoCalls calls, String table, List<String> keys, boolean consistent) {
        this.calls = calls;
        this.table = table;
        this.keys = List.copyOf(keys);
        this.consistent = consistent;
    }

    CompletionStage<Answer> start() {
        ask(keys.stream().map(DynamoValues::key).toList(), 1);
        return result;
    }

    private void ask(List<Map<String, AttributeValue>> rest, int time) {
        KeysAndAttributes wanted = KeysAndAttributes.builder()
                .keys(rest)
                .consistentRead(consistent)
                .build();
        CompletionStage<Part> part = calls.send(
                "BatchGetItem",
                sdk -> sdk.batchGetItem(request -> request.requestItems(Map.of(table, wanted))
                        .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)),
                response -> collect(response, rest.size()));
        part.whenComplete((done, error) -> {
            if (error != null) {
                result.completeExceptionally(error);
            } else if (done.left.isEmpty()) {
                result.complete(answer(done.seconds));
            } else {
                askAgain(done.left, time, done.seconds);
            }
        });
    }

    /** Adds the items of one answer to the result. */
    private Part collect(BatchGetItemResponse response, int asked) {
        response.responses()
                .getOrDefault(table, List.of())
                .forEach(item -> found.put(DynamoValues.keyOf(item), DynamoValues.item(item)));
        KeysAndAttributes unprocessed = response.unprocessedKeys().get(table);
        List<Map<String, AttributeValue>> left = unprocessed == null ? List.of() : unprocessed.keys();
        double units = response.consumedCapacity().stream()
                .mapToDouble(DynamoStore::units)
                .sum();
        calls.meter().read(asked - left.size(), units);
        return new Part(left, DynamoErrors.seconds(response.sdkHttpResponse()));
    }

    private void askAgain(List<Map<String, AttributeValue>> left, int time, long seconds) {
        if (time == ASKED_MAX) {
            StoreException tooMuch = new StoreException(
                    Kind.THROTTLED,
                    "DynamoDB table " + table + ", BatchGetItem: throttled; " + left.size() + " of " + keys.size()
                            + " items not read after asking " + time + " times",
                    seconds,
                    null);
            calls.meter().failed(tooMuch);
            result.completeExceptionally(tooMuch);
            return;
        }
        if (time == 1) {
            giveUpLater();
        }
        long pause = FIRST_PAUSE_MILLIS << (time - 1);
        long jittered = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
        calls.later(
                TimeUnit.MILLISECONDS.toNanos(jittered), () -> calls.answers().execute(() -> ask(left, time + 1)));
    }

    private void giveUpLater() {
        long leftNanos = PATIENCE_NANOS - (System.nanoTime() - startNanos);
        StoreException tooLate = new StoreException(
                Kind.UNAVAILABLE,
                "DynamoDB table " + table + ", BatchGetItem: not all items read within " + Text.nanos(PATIENCE_NANOS));
        Runnable cancel =
                calls.later(leftNanos, () -> calls.answers().execute(() -> result.completeExceptionally(tooLate)));
        var unused = result.whenComplete((answer, error) -> cancel.run());
    }

    private Answer answer(long seconds) {
        List<@Nullable Item> items = new ArrayList<>();
        keys.forEach(key -> items.add(found.get(key)));
        return new Answer(true, items, List.of(), seconds);
    }

    /** One answer: the keys that it does not cover, and DynamoDB's clock. */
    private record Part(List<Map<String, AttributeValue>> left, long seconds) {}
}
