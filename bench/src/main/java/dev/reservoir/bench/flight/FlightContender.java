package dev.reservoir.bench.flight;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.flightsql.FlightSqlPool;
import dev.reservoir.flightsql.PoolConfig;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** A way to send queries to a Flight SQL server. Any thread may call it. */
@SuppressWarnings("try") // Arrow's clients have a close() that may throw anything
abstract class FlightContender implements AutoCloseable {
    static final String ONE_CLIENT = "One shared client";
    static final String RAW_CLIENTS = "As many raw clients";

    /** Sends a query and reads its whole result. Blocks. */
    abstract void query(String sql) throws Exception;

    /** How the results call it. */
    abstract String title();

    static List<FlightContender> all(String endpoint, int connections) {
        return List.of(
                new Pool(endpoint, connections),
                new OneClient(endpoint),
                new RawClients(endpoint, connections),
                new Jdbc(endpoint, connections));
    }

    private static FlightSqlClient client(BufferAllocator allocator, String endpoint) {
        URI uri = URI.create(endpoint);
        return new FlightSqlClient(
                FlightClient.builder(allocator, Location.forGrpcInsecure(uri.getHost(), uri.getPort()))
                        .build());
    }

    /** Reads the result as an application does that needs every value. */
    private static void read(FlightSqlClient client, String sql) throws Exception {
        FlightInfo info = client.execute(sql);
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            while (stream.next()) {
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    stream.getRoot().getVector(0).getObject(row);
                }
            }
        }
    }

    /** Reservoir's pool. */
    static final class Pool extends FlightContender {
        private final FlightSqlPool pool;

        Pool(String endpoint, int connections) {
            pool = new FlightSqlPool(
                    endpoint,
                    PoolConfig.builder()
                            .minIdle(connections)
                            .maxSize(connections)
                            .build());
        }

        @Override
        void query(String sql) {
            pool.query(sql).list(row -> row.get(0));
        }

        @Override
        String title() {
            return PoolKind.RESERVOIR.title();
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    /** Arrow's client on one connection, which all threads share. */
    static final class OneClient extends FlightContender {
        private final BufferAllocator allocator = new RootAllocator();
        private final FlightSqlClient client;

        OneClient(String endpoint) {
            client = client(allocator, endpoint);
        }

        @Override
        void query(String sql) throws Exception {
            read(client, sql);
        }

        @Override
        String title() {
            return ONE_CLIENT;
        }

        @Override
        public void close() throws Exception {
            client.close();
            allocator.close();
        }
    }

    /** As many of Arrow's clients as there are connections, in a queue: the least that a pool can be. */
    static final class RawClients extends FlightContender {
        private final BufferAllocator allocator = new RootAllocator();
        private final List<FlightSqlClient> all = new ArrayList<>();
        private final BlockingQueue<FlightSqlClient> free;

        RawClients(String endpoint, int connections) {
            for (int i = 0; i < connections; i++) {
                all.add(client(allocator, endpoint));
            }
            free = new ArrayBlockingQueue<>(connections, false, all);
        }

        @Override
        void query(String sql) throws Exception {
            FlightSqlClient client = free.take();
            try {
                read(client, sql);
            } finally {
                free.add(client);
            }
        }

        @Override
        String title() {
            return RAW_CLIENTS;
        }

        @Override
        public void close() throws Exception {
            for (FlightSqlClient client : all) {
                client.close();
            }
            allocator.close();
        }
    }

    /** The Flight SQL JDBC driver under HikariCP. */
    static final class Jdbc extends FlightContender {
        private final HikariDataSource source;

        Jdbc(String endpoint, int connections) {
            URI uri = URI.create(endpoint);
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(
                    "jdbc:arrow-flight-sql://" + uri.getHost() + ":" + uri.getPort() + "/?useEncryption=false");
            config.setMaximumPoolSize(connections);
            source = new HikariDataSource(config);
        }

        @Override
        void query(String sql) throws Exception {
            try (Connection connection = source.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    rows.getObject(1);
                }
            }
        }

        @Override
        String title() {
            return PoolKind.HIKARICP.title();
        }

        @Override
        public void close() {
            source.close();
        }
    }
}
