package dev.reservoir.cli.flight;

import java.net.URI;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;

/** Arrow's own client on one connection, as an application without a pool shares it among its threads. */
@SuppressWarnings("try") // Arrow's clients have a close() that may throw anything
final class SharedClient implements AutoCloseable {
    private final FlightSqlClient client;

    SharedClient(String endpoint, BufferAllocator allocator) {
        URI uri = URI.create(endpoint);
        Location location = Location.forGrpcInsecure(uri.getHost(), uri.getPort());
        client = new FlightSqlClient(FlightClient.builder(allocator, location).build());
    }

    /** Sends a query and reads its result. Blocks. Any thread may call it. */
    void query(String sql) throws Exception {
        FlightInfo info = client.execute(sql);
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            while (stream.next()) {
                stream.getRoot().getRowCount();
            }
        }
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (Exception e) {
            // The connection is closed even so.
        }
    }
}
