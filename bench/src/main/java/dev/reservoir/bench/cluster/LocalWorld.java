package dev.reservoir.bench.cluster;

import dev.reservoir.bench.DynamoDbProcess;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/** Real time, and DynamoDB Local over HTTP. */
final class LocalWorld implements World {
    private final DynamoDbProcess server;

    /** Starts DynamoDB Local and creates a table. Blocks for a few seconds. */
    LocalWorld() throws IOException {
        this.server = DynamoDbProcess.start("bench", "1g");
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
        return server.store(time::execute);
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
    public void close() throws IOException {
        server.close();
    }
}
