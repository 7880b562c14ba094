package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * A store on one DynamoDB table whose items have the key {@code pk}. Every call is answered within 5 seconds, if only
 * with an error. A read of many items that DynamoDB answers in parts may take a second longer. Safe for use by any
 * thread. No method blocks.
 */
public final class DynamoStore implements Store {
    private static final ReturnConsumedCapacity COUNTED = ReturnConsumedCapacity.TOTAL;
    private static final ReturnValuesOnConditionCheckFailure FOUND = ReturnValuesOnConditionCheckFailure.ALL_OLD;

    /** How many times as much a write costs in a transaction. */
    private static final int TRANSACTION_FACTOR = 2;

    private final String table;
    private final DynamoCalls calls;

    /**
     * A store on this table. Does not check whether the table exists.
     *
     * @param client the client for the table; the caller closes it
     * @param answers the executor on which stages complete and their dependent actions run
     */
    public DynamoStore(DynamoClient client, String table, Executor answers) {
        this.table = table;
        this.calls = new DynamoCalls(client, table, answers);
    }

    @Override
    public StoreCounts counts() {
        return calls.meter().counts();
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        if (keys.size() != 1) {
            return new BatchRead(calls, table, keys, consistent).start();
        }
        return calls.send(
                "GetItem",
                sdk -> sdk.getItem(request -> request.tableName(table)
                        .key(DynamoValues.key(keys.get(0)))
                        .consistentRead(consistent)
                        .returnConsumedCapacity(COUNTED)),
                response -> {
                    calls.meter().read(1, units(response.consumedCapacity()));
                    Item found = response.hasItem() ? DynamoValues.item(response.item()) : null;
                    return answer(found, response.sdkHttpResponse());
                });
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        try {
            Expressions terms = Expressions.of(write);
            return switch (write.kind()) {
                case PUT -> put(write, terms);
                case UPDATE -> update(write, terms);
                case DELETE -> delete(write, terms);
                case CHECK -> throw Expressions.refusal(write, "CHECK is for transactions");
            };
        } catch (StoreException refused) {
            return calls.failed(refused);
        }
    }

    private CompletableFuture<Answer> put(Write write, Expressions terms) {
        Map<String, AttributeValue> item = Expressions.putItem(write);
        return calls.send(
                "PutItem",
                sdk -> sdk.putItem(request -> request.tableName(table)
                        .item(item)
                        .conditionExpression(terms.condition)
                        .expressionAttributeNames(terms.names())
                        .expressionAttributeValues(terms.values())
                        .returnValuesOnConditionCheckFailure(FOUND)
                        .returnConsumedCapacity(COUNTED)),
                response -> written(response.consumedCapacity(), DynamoValues.item(item), response.sdkHttpResponse()),
                this::refused);
    }

    private CompletableFuture<Answer> update(Write write, Expressions terms) {
        return calls.send(
                "UpdateItem",
                sdk -> sdk.updateItem(request -> request.tableName(table)
                        .key(DynamoValues.key(write.key()))
                        .updateExpression(terms.update)
                        .conditionExpression(terms.condition)
                        .expressionAttributeNames(terms.names())
                        .expressionAttributeValues(terms.values())
                        .returnValues(ReturnValue.ALL_NEW)
                        .returnValuesOnConditionCheckFailure(FOUND)
                        .returnConsumedCapacity(COUNTED)),
                response -> {
                    Item now = response.hasAttributes() ? DynamoValues.item(response.attributes()) : null;
                    return written(response.consumedCapacity(), now, response.sdkHttpResponse());
                },
                this::refused);
    }

    private CompletableFuture<Answer> delete(Write write, Expressions terms) {
        return calls.send(
                "DeleteItem",
                sdk -> sdk.deleteItem(request -> request.tableName(table)
                        .key(DynamoValues.key(write.key()))
                        .conditionExpression(terms.condition)
                        .expressionAttributeNames(terms.names())
                        .expressionAttributeValues(terms.values())
                        .returnValuesOnConditionCheckFailure(FOUND)
                        .returnConsumedCapacity(COUNTED)),
                response -> written(response.consumedCapacity(), null, response.sdkHttpResponse()),
                this::refused);
    }

    private Answer written(ConsumedCapacity consumed, @Nullable Item now, SdkHttpResponse response) {
        calls.meter().wrote(1, units(consumed));
        return answer(now, response);
    }

    /** Handles a condition that did not hold. DynamoDB does not say what it charges: as much as for the item found. */
    private @Nullable Answer refused(AwsServiceException error) {
        if (!(error instanceof ConditionalCheckFailedException failed)) {
            return null;
        }
        calls.meter().wrote(1, DynamoValues.writeUnits(failed.item()));
        Item found = failed.hasItem() ? DynamoValues.item(failed.item()) : null;
        return new Answer(false, Collections.singletonList(found), List.of(), DynamoErrors.seconds(error));
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        List<TransactWriteItem> items = new ArrayList<>();
        if (token.isEmpty() || token.length() > Store.TOKEN_LENGTH_MAX) {
            return calls.failed(new StoreException(
                    Kind.REFUSED,
                    "transaction: its token is \"" + token + "\"; allowed: 1 to " + Store.TOKEN_LENGTH_MAX
                            + " characters"));
        }
        try {
            Set<String> keys = new HashSet<>();
            for (Write write : writes) {
                if (!keys.add(write.key())) {
                    throw Expressions.refusal(write, "the transaction has its key twice");
                }
                items.add(part(write, Expressions.of(write)));
            }
        } catch (StoreException refused) {
            return calls.failed(refused);
        }
        return calls.send(
                "TransactWriteItems",
                sdk -> sdk.transactWriteItems(request ->
                        request.transactItems(items).clientRequestToken(token).returnConsumedCapacity(COUNTED)),
                response -> done(response, writes.size()),
                error -> cancelled(error, writes.size()));
    }

    private TransactWriteItem part(Write write, Expressions terms) {
        TransactWriteItem.Builder part = TransactWriteItem.builder();
        switch (write.kind()) {
            case PUT ->
                part.put(put -> put.tableName(table)
                        .item(Expressions.putItem(write))
                        .conditionExpression(terms.condition)
                        .expressionAttributeNames(terms.names())
                        .expressionAttributeValues(terms.values())
                        .returnValuesOnConditionCheckFailure(FOUND));
            case UPDATE ->
                part.update(update -> update.tableName(table)
                        .key(DynamoValues.key(write.key()))
                        .updateExpression(terms.update)
                        .conditionExpression(terms.condition)
                        .expressionAttributeNames(terms.names())
                        .expressionAttributeValues(terms.values())
                        .returnValuesOnConditionCheckFailure(FOUND));
            case DELETE ->
                part.delete(delete -> delete.tableName(table)
                        .key(DynamoValues.key(write.key()))
                        .conditionExpression(terms.condition)
                        .expressionAttributeNames(terms.names())
                        .expressionAttributeValues(terms.values())
                        .returnValuesOnConditionCheckFailure(FOUND));
            case CHECK ->
                part.conditionCheck(check -> check.tableName(table)
                        .key(DynamoValues.key(write.key()))
                        .conditionExpression(terms.condition)
                        .expressionAttributeNames(terms.names())
                        .expressionAttributeValues(terms.values())
                        .returnValuesOnConditionCheckFailure(FOUND));
        }
        return part.build();
    }

    /**
     * Handles a transaction that was applied. A transaction that was already applied earlier is charged as a read.
     * DynamoDB Local reports only the cost of the last item.
     */
    private Answer done(TransactWriteItemsResponse response, int writes) {
        double written = 0;
        double read = 0;
        for (ConsumedCapacity consumed : response.consumedCapacity()) {
            boolean repeated = consumed.writeCapacityUnits() == null && consumed.readCapacityUnits() != null;
            written += repeated ? 0 : units(consumed);
            read += repeated ? units(consumed) : 0;
        }
        calls.meter().wrote(writes, read > 0 ? written : Math.max(written, TRANSACTION_FACTOR * writes));
        calls.meter().read(0, read);
        return new Answer(true, List.of(), List.of(), DynamoErrors.seconds(response.sdkHttpResponse()));
    }

    private @Nullable Answer cancelled(AwsServiceException error, int writes) {
        if (!(error instanceof TransactionCanceledException cancelled) || !DynamoErrors.isOnlyConditions(cancelled)) {
            return null;
        }
        List<@Nullable Item> found = new ArrayList<>();
        List<Integer> refused = new ArrayList<>();
        double units = 0;
        for (CancellationReason reason : cancelled.cancellationReasons()) {
            boolean failed = DynamoErrors.CONDITION_FAILED.equals(reason.code());
            if (failed) {
                refused.add(found.size());
            }
            found.add(failed && reason.hasItem() ? DynamoValues.item(reason.item()) : null);
            units += DynamoValues.writeUnits(reason.item());
        }
        calls.meter().wrote(writes, TRANSACTION_FACTOR * units);
        return new Answer(false, found, refused, DynamoErrors.seconds(error));
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return calls.send(
                "Scan",
                sdk -> sdk.scan(request -> request.tableName(table)
                        .filterExpression("begins_with(#key, :prefix)")
                        .expressionAttributeNames(Map.of("#key", DynamoValues.KEY))
                        .expressionAttributeValues(Map.of(":prefix", AttributeValue.fromS(keyPrefix)))
                        .exclusiveStartKey(after == null ? null : DynamoValues.key(after))
                        .consistentRead(true)
                        .returnConsumedCapacity(COUNTED)),
                this::page);
    }

    private Page page(ScanResponse response) {
        calls.meter().read(response.scannedCount(), units(response.consumedCapacity()));
        List<Keyed> items = new ArrayList<>();
        response.items().forEach(item -> items.add(new Keyed(DynamoValues.keyOf(item), DynamoValues.item(item))));
        String next =
                response.hasLastEvaluatedKey() && !response.lastEvaluatedKey().isEmpty()
                        ? DynamoValues.keyOf(response.lastEvaluatedKey())
                        : null;
        return new Page(items, next);
    }

    static double units(@Nullable ConsumedCapacity consumed) {
        Double units = consumed == null ? null : consumed.capacityUnits();
        return units == null ? 0 : units;
    }

    private static Answer answer(@Nullable Item item, @Nullable SdkHttpResponse response) {
        return new Answer(true, Collections.singletonList(item), List.of(), DynamoErrors.seconds(response));
    }
}
