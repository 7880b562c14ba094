package dev.reservoir.bench;

import dev.reservoir.dynamodb.local.LocalDynamoDb;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoStore;
import dev.reservoir.dynamodb.store.DynamoTables;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Executor;

/** DynamoDB Local with one table, in a process of its own, so that its work does not count as work of a fleet. */
public final class DynamoDbProcess implements AutoCloseable {

    private final Jvm server;
    private final int port;
    private final DynamoClient client;
    private final String table;

    private DynamoDbProcess(Jvm server, URI endpoint, String table) {
        this.server = server;
        this.port = endpoint.getPort();
        this.client = DynamoClient.shared(null, endpoint);
        this.table = table;
        new DynamoTables(client).create(table);
    }

    /** Starts DynamoDB Local and creates the table. Blocks for a few seconds. */
    public static DynamoDbProcess start(String table, String heap) throws IOException {
        Jvm server = Jvm.startSilent(LocalDynamoDb.class, List.of("-Xmx" + heap));
        return new DynamoDbProcess(server, URI.create(server.expectLine("DynamoDB Local")), table);
    }

    public int port() {
        return port;
    }

    /** Access to the table. Its answers arrive on this executor. */
    public DynamoStore store(Executor answers) {
        return new DynamoStore(client, table, answers);
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
    }
}
