package dev.reservoir.flightsql.pool;

import dev.reservoir.flightsql.CallTracer.Span;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.call.ResultCursor;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An open result without the object that the application holds. So that object can be collected, and this one then
 * recovers the connection.
 */
public final class ResultCore implements OpenHandles.Core {
    final ResultCursor cursor;
    final @Nullable PreparedStatement prepared;
    private final ConnectionOwner owner;
    private final Span span;
    private final Schema schema;

    /** Held while a thread reads, so that another thread that closes the result does not free what is being read. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile boolean finished;

    /** Created when the first batch is there. Ends the span when the result is over. */
    ResultCore(ResultCursor cursor, @Nullable PreparedStatement prepared, ConnectionOwner owner, Span span) {
        this.cursor = cursor;
        this.prepared = prepared;
        this.owner = owner;
        this.span = span;
        schema = cursor.root().getSchema();
    }

    /** Cuts larger batches of the server into several. Must be called before the first batch is read. */
    public void limitRows(int max) {
        cursor.limitRows(max);
    }

    public Schema schema() {
        return schema;
    }

    /** Loads the next batch. At the end, and after a failure, the connection is given back. Blocks. */
    public boolean next() {
        lock.lock();
        try {
            if (finished) {
                return false;
            }
            if (cursor.next()) {
                return true;
            }
            finish();
            return false;
        } catch (FlightSqlException e) {
            finish();
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** The current batch. */
    public VectorSchemaRoot root() {
        if (finished) {
            throw new IllegalStateException("the result is closed or read to its end");
        }
        return cursor.root();
    }

    public boolean isFinished() {
        return finished;
    }

    /** Closes the result. A reader on another thread fails. */
    public void close() {
        if (!lock.tryLock()) {
            cursor.abort();
            lock.lock();
        }
        try {
            finish();
        } finally {
            lock.unlock();
        }
    }

    /** Stops the stream and frees nothing. The thread that reads fails and closes the result. */
    void abort() {
        cursor.abort();
    }

    private void finish() {
        if (!finished) {
            finished = true;
            span.end(cursor.failure());
            owner.pool.handles().remove(this);
            owner.finished(this);
        }
    }

    /** Notes the object that the application holds. If it is collected, this result is closed. */
    public void heldBy(Object handle) {
        owner.pool.handles().add(handle, this);
    }

    @Override
    public void recover() {
        close();
    }

    @Override
    public String what() {
        return "result";
    }

    RunningPool pool() {
        return owner.pool;
    }
}
