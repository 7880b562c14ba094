package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.dynamodb.local.LocalDynamoDb;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoStore;
import dev.reservoir.dynamodb.store.DynamoTables;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * Real time, and DynamoDB Local over HTTP. DynamoDB Local runs in a process of its own, so that its work does not count
 * as work of the fleet.
 */
final class LocalWorld implements World {
    private static final String TABLE = "bench";

    private final Process server;
    private final DynamoClient client;

    private LocalWorld(Process server, URI endpoint) {
        this.server = server;
        this.client = DynamoClient.shared(null, endpoint);
        new DynamoTables(client).create(TABLE);
    }

    /** Starts DynamoDB Local and creates a table. Blocks for a few seconds. */
    static LocalWorld start() throws IOException {
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LocalDynamoDb.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader said = server.inputReader();
        String endpoint = said.readLine();
        if (endpoint == null) {
            throw new IOException("DynamoDB Local did not start");
        }
        return new LocalWorld(server, URI.create(endpoint));
    }

    @Override
    public String title() {
        return "DynamoDB Local";
    }

    @Override
    public Time time(String process) {
        return new SystemTime(process);
    }

    @Override
    public Store store(Time time) {
        return new DynamoStore(client, TABLE, time::execute);
    }

    @Override
    public InstantSource wallClock() {
        return InstantSource.system();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void pass(Duration duration) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(duration.toNanos());
    }

    @Override
    public void close() {
        client.close();
        server.destroy();
    }
}
