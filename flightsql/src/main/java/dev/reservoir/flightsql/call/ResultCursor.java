package dev.reservoir.flightsql.call;

import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.connect.FlightConnection;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.TransferPair;
import org.jspecify.annotations.Nullable;

/**
 * Reads the batches of one result, endpoint by endpoint, all on the connection that executed the statement. One thread
 * at a time uses it, except {@link #abort}.
 *
 * <p>It reads the first batch before it is handed out. So an error of the statement shows at the call, and a server
 * that ends a stream without a schema does no harm.
 */
public final class ResultCursor {
    private final String pool;
    private final FlightConnection connection;
    private final FlightInfo info;
    private final Deadline deadline;
    private final Iterator<FlightEndpoint> endpoints;
    private volatile @Nullable FlightStream stream;
    private volatile boolean aborted;

    /** Kept here, because a stream does not show it to a thread that is interrupted. */
    private @Nullable VectorSchemaRoot root;

    /** Whether the vectors are those of the current stream, which loads all its batches into them. */
    private boolean hasRootOfStream;

    /** The most rows of a batch that the reader sees. */
    private int rowsMax = Integer.MAX_VALUE;

    /** How many rows of the server's batch the reader has seen, if the batch is cut. */
    private int rowsCut;

    private @Nullable VectorSchemaRoot part;

    private boolean firstIsLoaded;
    private boolean ended;
    private @Nullable FlightSqlException failure;
    private boolean closed;

    /** Executes the command and reads the first batch. Blocks. */
    public static ResultCursor open(
            String pool, FlightConnection connection, Command command, Deadline deadline, Settlement settlement) {
        FlightInfo info;
        boolean retained = false;
        try {
            // Before the statement runs, since a connection that was closed meanwhile has no memory to offer.
            connection.retainMemory();
            retained = true;
            info = command.execute(deadline.options());
        } catch (RuntimeException | Error e) {
            if (retained) {
                connection.releaseMemory();
            }
            if (e instanceof Error error) {
                throw error;
            }
            FlightSqlException failure = Failures.of(pool, e, connection, deadline);
            settlement.failed(failure, null);
            throw failure;
        }
        ResultCursor cursor = new ResultCursor(pool, connection, info, deadline);
        try {
            cursor.firstIsLoaded = cursor.load();
            return cursor;
        } catch (FlightSqlException e) {
            cursor.close();
            settlement.failed(e, info);
            throw e;
        } catch (Error e) {
            cursor.close();
            throw e;
        }
    }

    private ResultCursor(String pool, FlightConnection connection, FlightInfo info, Deadline deadline) {
        this.pool = pool;
        this.connection = connection;
        this.info = info;
        this.deadline = deadline;
        endpoints = info.getEndpoints().iterator();
    }

    /** Loads the next batch into {@link #root}. Returns false at the end. Blocks. */
    public boolean next() {
        if (failure != null) {
            throw failure;
        }
        if (!firstIsLoaded && cut()) {
            return true;
        }
        boolean loaded = firstIsLoaded || load();
        firstIsLoaded = false;
        rowsCut = 0;
        if (loaded) {
            cut();
        }
        return loaded;
    }

    /** Reads the rest without showing it, so it needs no memory to cut batches. Blocks. */
    public void skipRest() {
        if (failure != null) {
            throw failure;
        }
        closePart();
        boolean more = true;
        while (more) {
            more = load();
        }
    }

    /** Cuts larger batches of the server into several. Must be called before the first batch is read. */
    public void limitRows(int max) {
        rowsMax = max;
    }

    /** Cuts the next rows off a batch that is too large. Returns false if the batch is not, or has no more rows. */
    private boolean cut() {
        closePart();
        VectorSchemaRoot whole = root;
        if (whole == null || whole.getRowCount() <= rowsMax || rowsCut >= whole.getRowCount()) {
            return false;
        }
        int rows = Math.min(rowsMax, whole.getRowCount() - rowsCut);
        try {
            part = slice(whole, rowsCut, rows);
        } catch (RuntimeException e) {
            // No failure of the stream: it can still be read to its end or be stopped.
            throw Failures.of(pool, e, connection, deadline);
        }
        rowsCut += rows;
        return true;
    }

    /** Arrow's own method keeps the memory of the first columns if there is none for the others. */
    private static VectorSchemaRoot slice(VectorSchemaRoot whole, int from, int rows) {
        List<FieldVector> columns = new ArrayList<>();
        try {
            for (FieldVector vector : whole.getFieldVectors()) {
                TransferPair pair = vector.getTransferPair(vector.getAllocator());
                columns.add((FieldVector) pair.getTo());
                pair.splitAndTransfer(from, rows);
            }
        } catch (RuntimeException | Error e) {
            columns.forEach(FieldVector::close);
            throw e;
        }
        return new VectorSchemaRoot(whole.getSchema(), columns, rows);
    }

    private void closePart() {
        if (part != null) {
            part.close();
            part = null;
        }
    }

    private boolean load() {
        if (ended) {
            return false;
        }
        try {
            while (true) {
                FlightStream current = stream;
                if (current != null && loadFrom(current)) {
                    return true;
                }
                if (!endpoints.hasNext()) {
                    ended = true;
                    return false;
                }
                if (current != null) {
                    current.close();
                }
                hasRootOfStream = false;
                stream = connection.client().getStream(endpoints.next().getTicket(), deadline.options());
                if (aborted) {
                    // The aborting thread may have seen the stream before this one.
                    abort();
                }
            }
        } catch (Exception e) {
            failure = Failures.of(pool, e, connection, deadline);
            throw failure;
        }
    }

    private boolean loadFrom(FlightStream current) {
        boolean loaded = current.next();
        if (!hasRootOfStream && current.hasRoot()) {
            hasRootOfStream = true;
            Interrupts.defer(() -> root = current.getRoot());
        }
        return loaded;
    }

    /** The vectors of the current batch. They change with the next one. */
    public VectorSchemaRoot root() {
        if (part != null) {
            return part;
        }
        if (root == null) {
            root = VectorSchemaRoot.of();
        }
        return root;
    }

    public boolean hasEnded() {
        return ended;
    }

    public @Nullable FlightSqlException failure() {
        return failure;
    }

    public FlightInfo info() {
        return info;
    }

    /** Ends the stream from another thread. Its reader then fails. */
    public void abort() {
        aborted = true;
        FlightStream current = stream;
        if (current != null) {
            current.cancel("the caller has gone", null);
        }
    }

    /** Frees the memory and ends the stream. Does not ask the server to stop the statement. */
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            closePart();
            FlightStream current = stream;
            if (current != null) {
                Interrupts.defer(() -> closeQuietly(current));
            }
        } finally {
            connection.releaseMemory();
        }
    }

    private static void closeQuietly(FlightStream stream) {
        try {
            stream.close();
        } catch (Exception e) {
            // The stream reports again why it failed, or that it was cancelled. Its memory is free in any case.
        }
    }

    /** The request that makes the server execute a statement. */
    @FunctionalInterface
    public interface Command {
        FlightInfo execute(CallOption... options);
    }

    /** Decides what becomes of the connection. */
    public interface Settlement {
        /** The statement failed before its result was handed out. The info is null if the server gave none. */
        void failed(FlightSqlException failure, @Nullable FlightInfo info);
    }
}
