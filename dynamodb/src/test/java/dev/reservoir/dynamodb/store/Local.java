package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.dynamodb.local.LocalDynamoDb;
import java.net.URI;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * One DynamoDB Local for all tests of this module, with a table of its own for each that asks. Ends with the process.
 */
public final class Local {
    private static final AtomicInteger TABLES = new AtomicInteger();

    private Local() {}

    public static URI endpoint() {
        return Started.LOCAL.endpoint();
    }

    /** A way there, to be closed. */
    public static DynamoClient client() {
        return DynamoClient.shared(null, endpoint());
    }

    /** A new table. */
    public static String table() {
        String name = "table-" + TABLES.incrementAndGet();
        try (DynamoClient client = client()) {
            new DynamoTables(client).create(name);
        }
        return name;
    }

    /** Waits for what a store answers; throws its own exception if it failed. */
    public static <T> T wait(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreException refused) {
                throw refused;
            }
            throw new CompletionException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException("no answer", e);
        }
    }

    private static final class Started {
        static final LocalDynamoDb LOCAL = LocalDynamoDb.start();

        static {
            // The first call is slow, as both sides still load their classes, and has no deadline here.
            try (DynamoDbAsyncClient first = DynamoDbAsyncClient.builder()
                    .endpointOverride(LOCAL.endpoint())
                    .region(Region.US_EAST_1)
                    .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                    .build()) {
                first.listTables().join();
            }
        }
    }
}
