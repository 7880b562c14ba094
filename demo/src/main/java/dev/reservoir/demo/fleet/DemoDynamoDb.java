package dev.reservoir.demo.fleet;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.cluster.inspect.ClusterInspection;
import dev.reservoir.cluster.inspect.ClusterInspectionReport;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.dynamodb.local.LocalDynamoDb;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoStore;
import dev.reservoir.dynamodb.store.DynamoTables;
import java.time.InstantSource;

/** The DynamoDB that holds the fleet's budget: an in-memory server with one table. The demo can make it unavailable. */
public final class DemoDynamoDb implements AutoCloseable {
    private static final String TABLE = "reservoir";
    private static final String CLUSTER = "demo";

    private final LocalDynamoDb local;
    private final DynamoClient client;
    private volatile boolean away;

    private DemoDynamoDb(LocalDynamoDb local, DynamoClient client) {
        this.local = local;
        this.client = client;
    }

    /** Starts the server and creates the table. Blocks for a few seconds. */
    public static DemoDynamoDb start() {
        LocalDynamoDb local = LocalDynamoDb.start();
        DynamoClient client = DynamoClient.shared(Scale.REGION, local.endpoint());
        DemoDynamoDb coordinator = new DemoDynamoDb(local, client);
        try {
            new DynamoTables(client).create(TABLE);
            return coordinator;
        } catch (RuntimeException | Error e) {
            coordinator.close();
            throw e;
        }
    }

    /** Returns the store that one service uses for the table. */
    ProcessStore store(Time time) {
        return new ProcessStore(new DynamoStore(client, TABLE, time::execute), () -> away, write -> {});
    }

    static ClusterSettings settings(String service) {
        return ClusterSettings.builder(CLUSTER)
                .serviceName(service)
                .permitMode(PermitMode.RESERVATION)
                .ratePerSecond(Scale.RATE_PER_SECOND)
                .burst(Scale.RESERVOIR_BURST)
                .leaseMode(LeaseMode.SHARE)
                .limit(Scale.MAX_OPEN)
                .leaseTime(Scale.LEASE_TIME)
                .build();
    }

    /** Makes DynamoDB unavailable to all services, or available again. */
    public void away(boolean value) {
        away = value;
    }

    /** Reads the permits and leases that are counted. Blocks. */
    public ClusterInspectionReport inspect() {
        try (SystemTime time = new SystemTime("demo-inspect")) {
            DynamoStore store = new DynamoStore(client, TABLE, Runnable::run);
            return new ClusterInspection(settings("demo"), store, store, time, InstantSource.system()).read();
        }
    }

    @Override
    public void close() {
        client.close();
        local.close();
    }
}
