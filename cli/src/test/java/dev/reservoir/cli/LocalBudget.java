package dev.reservoir.cli;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.dynamodb.local.LocalDynamoDb;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A DynamoDB Local of the test, with a budget in it as the processes of a fleet write it. */
public final class LocalBudget implements AutoCloseable {
    static final String ENDPOINT = "orders.example";

    private final LocalDynamoDb local = LocalDynamoDb.start();
    private final DynamoClient client = DynamoClient.shared(null, local.endpoint());

    String url() {
        return local.endpoint().toString();
    }

    /** The words of a command, with where to find the tables. */
    public String[] words(String line) {
        return (line + " --endpoint-url " + url()).split(" ");
    }

    void put(String table, String key, Change... attributes) {
        done(new DynamoStore(client, table, Runnable::run).write(Write.put(key, List.of(attributes))));
    }

    void update(String table, String key, Change... changes) {
        done(new DynamoStore(client, table, Runnable::run).write(Write.update(key, List.of(changes))));
    }

    Item item(String table, String key) {
        return done(new DynamoStore(client, table, Runnable::run).read(List.of(key), true))
                .item();
    }

    private static Answer done(CompletionStage<Answer> stage) {
        try {
            return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    void join(String table, String id, String service, int share, int used, long renewedAgoSeconds) {
        long now = System.currentTimeMillis();
        put(
                table,
                "reservoir_member#" + ENDPOINT + "#" + id,
                Change.set("beat", 7),
                Change.set("service_name", service),
                Change.set("host", "ip-10-0-0-" + id.charAt(0)),
                Change.set("joined_ms", now - 7_500_000),
                Change.set("renewed_ms", now - 1_000 * renewedAgoSeconds),
                Change.set("share", share),
                Change.set("used", used));
        update(table, "reservoir_members#" + ENDPOINT + "#" + id.charAt(0), Change.include("ids", Set.of(id)));
        update(table, "reservoir_count#" + ENDPOINT, Change.add("total", share), Change.set("limit", 10_000));
    }

    void lease(String table, String id, String owner) {
        List<Change> attributes = new ArrayList<>(List.of(
                Change.set("service_name", owner == null ? "go-history" : "orders"), Change.set("created_ms", 1)));
        if (owner != null) {
            attributes.add(Change.set("owner", owner));
        }
        put(table, "dsqllease#" + ENDPOINT + "#" + id, attributes.toArray(Change[]::new));
    }

    @Override
    public void close() {
        client.close();
        local.close();
    }
}
