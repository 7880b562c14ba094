package dev.reservoir.dynamodb.local;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import software.amazon.awssdk.services.dynamodb.model.ListTablesRequest;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBRequestHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBServerHandler;

/**
 * Amazon's DynamoDB Local, in memory, on a port of 127.0.0.1. All regions and credentials see the same tables. Never
 * listens on another address, never sends telemetry, and prints nothing.
 *
 * <p>This class assembles the server itself. The server's own launcher listens on every address, prints a banner and
 * needs telemetry libraries. Some threads of the server are not daemon threads and end up to ten seconds after
 * {@link #close}. A program that must end at once calls {@link System#exit}.
 */
public final class LocalDynamoDb implements AutoCloseable {
    private static final int THREADS_MAX = 64;

    /** This field keeps the logger reachable, because a logger that is garbage collected loses its level. */
    private static final Logger SQLITE = Logger.getLogger("com.almworks.sqlite4java");

    private final Server server;
    private final LocalDynamoDBServerHandler handler;
    private final URI endpoint;

    private LocalDynamoDb(Server server, LocalDynamoDBServerHandler handler, int port) {
        this.server = server;
        this.handler = handler;
        this.endpoint = URI.create("http://127.0.0.1:" + port);
    }

    /** Starts a server on a free port. Blocks for about a second. */
    public static LocalDynamoDb start() {
        return start(0);
    }

    /** Starts a server on this port, or on a free one if it is 0. Blocks for about a second. */
    public static LocalDynamoDb start(int port) {
        SQLITE.setLevel(Level.OFF);
        boolean inMemory = true;
        boolean oneForAll = true;
        boolean slowTables = false;
        LocalDynamoDBRequestHandler tables = new LocalDynamoDBRequestHandler(0, inMemory, null, oneForAll, slowTables);
        // Load the native library now, and not while the first caller waits.
        tables.listTables("local", "local", ListTablesRequest.builder().build());
        LocalDynamoDBServerHandler handler = new LocalDynamoDBServerHandler(tables, null);
        QueuedThreadPool threads = new QueuedThreadPool(THREADS_MAX);
        threads.setName("dynamodb-local");
        threads.setDaemon(true);
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        server.addConnector(connector);
        server.setHandler(new ContextHandler(handler, "/"));
        try {
            server.start();
        } catch (Exception e) {
            handler.close();
            stop(server);
            throw new IllegalStateException("DynamoDB Local did not start on port " + port + " of 127.0.0.1", e);
        }
        return new LocalDynamoDb(server, handler, connector.getLocalPort());
    }

    /** The address of the server. */
    public URI endpoint() {
        return endpoint;
    }

    /** Stops the server and discards its tables. Blocks until the port is free. */
    @Override
    public void close() {
        stop(server);
        handler.close();
    }

    private static void stop(Server server) {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("DynamoDB Local did not stop", e);
        }
    }

    /**
     * Runs a server until standard input ends. Prints its endpoint as the first line.
     *
     * @param args the port; 0 or no argument for a free one
     */
    @SuppressWarnings("SystemOut")
    public static void main(String[] args) throws IOException {
        int port = args.length == 0 ? 0 : Integer.parseInt(args[0]);
        LocalDynamoDb local = start(port);
        System.out.println(local.endpoint());
        System.out.flush();
        System.in.transferTo(OutputStream.nullOutputStream());
        local.close();
        System.exit(0);
    }
}
