package dev.reservoir.bench.dsql;

import dev.reservoir.bench.DynamoDbProcess;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspection;
import dev.reservoir.cluster.inspect.ClusterInspectionReport;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.dynamodb.store.DynamoStore;
import dev.reservoir.testkit.FaultyProxy;
import java.io.IOException;
import java.time.InstantSource;

/**
 * The table with the fleet's budget. The fleet reaches it through a relay that can be cut. The inspection of the budget
 * bypasses that relay.
 */
final class SoakTable implements AutoCloseable {
    static final String NAME = "soak";

    private final DynamoDbProcess server;
    final FaultyProxy relay;

    private final SystemTime time = new SystemTime("inspection");
    private final ClusterInspection inspection;

    SoakTable(ClusterSettings settings) throws IOException {
        this.server = DynamoDbProcess.start(NAME, "512m");
        this.relay = FaultyProxy.to(server.port());
        DynamoStore store = server.store(Runnable::run);
        this.inspection = new ClusterInspection(settings, store, store, time, InstantSource.system());
    }

    String url() {
        return "http://127.0.0.1:" + relay.port();
    }

    /** The current state of the budget in the table. Blocks. */
    ClusterInspectionReport inspect() {
        return inspection.read();
    }

    @Override
    public void close() throws IOException {
        time.close();
        relay.close();
        server.close();
    }
}
