package dev.reservoir.dynamodb.store;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;

/**
 * Writes down what the SDK is asked for, by table and in IAM's words, in which a transaction is its parts. The SDK
 * finds it by a file of its name in the resources of the tests.
 */
public final class Recorder implements ExecutionInterceptor {
    private static final Map<String, Set<String>> ACTIONS = new ConcurrentHashMap<>();

    /** For the SDK. */
    public Recorder() {}

    /** What was asked of a table so far. */
    static Set<String> actionsOn(String table) {
        return new TreeSet<>(ACTIONS.getOrDefault(table, Set.of()));
    }

    static void forget(String table) {
        ACTIONS.remove(table);
    }

    @Override
    public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
        SdkRequest request = context.request();
        String operation = attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME);
        if (request instanceof TransactWriteItemsRequest transaction) {
            transaction.transactItems().forEach(Recorder::part);
        } else if (request instanceof BatchGetItemRequest batch) {
            batch.requestItems().keySet().forEach(table -> add(table, operation));
        } else {
            request.getValueForField("TableName", String.class).ifPresent(table -> add(table, operation));
        }
    }

    private static void part(TransactWriteItem part) {
        if (part.put() != null) {
            add(part.put().tableName(), "PutItem");
        }
        if (part.update() != null) {
            add(part.update().tableName(), "UpdateItem");
        }
        if (part.delete() != null) {
            add(part.delete().tableName(), "DeleteItem");
        }
        if (part.conditionCheck() != null) {
            add(part.conditionCheck().tableName(), "ConditionCheckItem");
        }
    }

    private static void add(String table, String action) {
        ACTIONS.computeIfAbsent(table, any -> new ConcurrentSkipListSet<>(List.of()))
                .add(action);
    }
}
