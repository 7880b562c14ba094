package dev.reservoir.flightsql;

import dev.reservoir.flightsql.jdbc.ResultSetProxy;
import dev.reservoir.flightsql.pool.ResultCore;
import dev.reservoir.flightsql.pool.ResultPublisher;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A result that streams from the server. It holds its connection until it is read to its end, fails or is closed. Use
 * it with {@code try}; a result that is collected without being closed is logged, and its connection is recovered.
 *
 * <p>Read it in one way: batches, rows, a stream, a publisher or a JDBC result set. One thread at a time reads. Another
 * thread may close the result while a batch is loaded, but not while rows, vectors or a mapper are in use: a close
 * frees what they read. A subscription may be cancelled at any time.
 */
public final class QueryResult implements AutoCloseable {
    private final ResultCore core;
    private final Map<String, Integer> columns;

    /** Keeps the session's handle reachable, since a session whose handle is collected is closed. */
    @SuppressWarnings("unused")
    private final @Nullable Object session;

    private @Nullable Row row;
    private int nextRow;
    private int rowsInBatch;

    QueryResult(ResultCore core, QueryOptions options) {
        this(core, options, null);
    }

    QueryResult(ResultCore core, QueryOptions options, @Nullable Object session) {
        this.core = core;
        this.session = session;
        try {
            if (options.fetchSize() > 0) {
                core.limitRows(options.fetchSize());
            }
            columns = Row.columns(core.schema());
            core.heldBy(this);
        } catch (RuntimeException | Error e) {
            // Nobody else could close it.
            core.close();
            throw e;
        }
    }

    /** The columns of the result. */
    public Schema schema() {
        return core.schema();
    }

    /** The index of a column, counted from 0. A name is looked up exactly, then without regard to case. */
    public int column(String name) {
        return Row.column(columns, name);
    }

    // Batches.

    /** Loads the next Arrow batch into {@link #batch}. Returns false at the end. Blocks. */
    public boolean nextBatch() {
        boolean loaded = core.next();
        row = loaded ? new Row(core.root(), columns) : null;
        nextRow = 0;
        rowsInBatch = loaded ? core.root().getRowCount() : 0;
        return loaded;
    }

    /** The vectors of the current batch. They change with the next one and must not be closed. */
    public VectorSchemaRoot batch() {
        return core.root();
    }

    // Rows.

    /** The next row, or null at the end. The row is valid until the next call. Blocks. */
    public @Nullable Row nextRow() {
        while (nextRow >= rowsInBatch) {
            if (!nextBatch()) {
                return null;
            }
        }
        Row current = row;
        return current == null ? null : current.at(nextRow++);
    }

    /** The rows as objects. Reading blocks. Close the stream or this result if you do not read to the end. */
    public <T> Stream<T> stream(Function<? super Row, ? extends T> mapper) {
        Spliterator<T> rows = Spliterators.spliteratorUnknownSize(new Rows<>(this, mapper), Spliterator.ORDERED);
        return StreamSupport.stream(rows, false).onClose(this::close);
    }

    /**
     * The rows as records or beans of this type. Components and setters take the columns of the same name, without
     * regard to case and underscores.
     */
    public <T> Stream<T> stream(Class<T> type) {
        RowMapping<T> mapping = RowMapping.of(type);
        return stream(mapping::map);
    }

    /** Reads all rows and closes the result. Blocks. */
    public <T> List<T> list(Function<? super Row, ? extends T> mapper) {
        List<T> rows = new ArrayList<>();
        try (this) {
            for (Row next = nextRow(); next != null; next = nextRow()) {
                rows.add(mapper.apply(next));
            }
        }
        return rows;
    }

    /** Reads all rows as records or beans and closes the result. Blocks. */
    public <T> List<T> list(Class<T> type) {
        RowMapping<T> mapping = RowMapping.of(type);
        return list(mapping::map);
    }

    /** Reads the only row, maps it and closes the result. Blocks. */
    public <T> T single(Function<? super Row, ? extends T> mapper) {
        try (this) {
            Row only = nextRow();
            if (only == null) {
                throw new FlightSqlException(FlightSqlException.Kind.MAPPING, null, "the result has no row", null);
            }
            T mapped = mapper.apply(only);
            if (nextRow() != null) {
                throw new FlightSqlException(
                        FlightSqlException.Kind.MAPPING, null, "the result has more than one row", null);
            }
            return mapped;
        }
    }

    /**
     * The rows as a publisher for one subscriber. It reads only what the subscriber requests, on threads of the pool,
     * and needs no thread while nothing is requested. To cancel the subscription is to close the result. The mapper
     * must not return null, because a publisher cannot send it.
     */
    public <T> Flow.Publisher<T> publisher(Function<? super Row, ? extends T> mapper) {
        return new ResultPublisher<>(core, new Rows<T>(this, mapper));
    }

    /**
     * The rows as a JDBC result set: forward only, read only, and streaming as the result does. To close it is to close
     * the result. {@code getObject} returns the values of {@link Row#get(int)}. Its methods block where those of the
     * result do.
     */
    public ResultSet asResultSet() {
        return ResultSetProxy.of(this);
    }

    /**
     * Closes the result and gives its connection back. Does not wait for the server, except in a session: there it
     * blocks until the statement has stopped, for the cancel timeout at most. Does nothing the second time.
     */
    @Override
    public void close() {
        core.close();
    }

    /** Reads rows one by one. Keeps the result reachable while it is read. */
    private static final class Rows<T> implements Iterator<T> {
        private final QueryResult result;
        private final Function<? super Row, ? extends T> mapper;
        private @Nullable Row next;

        Rows(QueryResult result, Function<? super Row, ? extends T> mapper) {
            this.result = result;
            this.mapper = mapper;
        }

        @Override
        public boolean hasNext() {
            if (next == null) {
                next = result.nextRow();
            }
            return next != null;
        }

        @Override
        public T next() {
            Row current = hasNext() ? next : null;
            if (current == null) {
                throw new NoSuchElementException();
            }
            next = null;
            return mapper.apply(current);
        }
    }
}
