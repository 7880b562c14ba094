package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Jvm;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspection;
import dev.reservoir.cluster.inspect.ClusterInspectionReport;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.dynamodb.local.LocalDynamoDb;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoStore;
import dev.reservoir.dynamodb.store.DynamoTables;
import java.io.IOException;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;

/**
 * DynamoDB Local in a process of its own. The fleet reaches it through a relay that can be cut. The inspection of the
 * budget bypasses that relay.
 */
final class DynamoDbProcess implements AutoCloseable {
    static final String TABLE = "soak";

    private final Jvm server;
    private final CuttableWay way;
    private final DynamoClient client;
    private final SystemTime time = new SystemTime("inspection");
    private final ClusterInspection inspection;

    private DynamoDbProcess(Jvm server, URI endpoint, ClusterSettings settings) throws IOException {
        this.server = server;
        this.way = new CuttableWay(endpoint.getPort());
        this.client = DynamoClient.shared(null, endpoint);
        new DynamoTables(client).create(TABLE);
        DynamoStore store = new DynamoStore(client, TABLE, Runnable::run);
        this.inspection = new ClusterInspection(settings, store, store, time, InstantSource.system());
    }

    static DynamoDbProcess start(ClusterSettings settings) throws IOException {
        Jvm server = Jvm.startSilent(LocalDynamoDb.class, List.of("-Xmx512m"));
        return new DynamoDbProcess(server, URI.create(server.expectLine("DynamoDB Local")), settings);
    }

    /** The URL for the fleet. */
    String url() {
        return "http://127.0.0.1:" + way.port();
    }

    void cut() {
        way.cut();
    }

    void restore() {
        way.restore();
    }

    /** The current state of the budget in the table. Blocks. */
    ClusterInspectionReport books() {
        return inspection.read();
    }

    @Override
    public void close() throws IOException {
        client.close();
        time.close();
        way.close();
        server.close();
    }
}
