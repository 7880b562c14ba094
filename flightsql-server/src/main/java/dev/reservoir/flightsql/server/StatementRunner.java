package dev.reservoir.flightsql.server;

import io.grpc.Context;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.arrow.flight.BackpressureStrategy;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.duckdb.DuckDBResultSet;

/** Executes statements under the locks of their sessions and streams their results. */
final class StatementRunner {
    private static final int BATCH_ROWS = 2_048;

    /** Bounds how many ended statements are remembered for cancels that arrive late. */
    private static final int REMEMBERED_MAX = 10_000;

    /**
     * How long one wait for a slow reader takes. gRPC cannot call back while this call blocks its thread, so the reader
     * is asked again and again.
     */
    private static final long READER_PATIENCE_MILLIS = 2;

    /** A comment such as {@code wait 500 ms} makes a statement wait under the session's lock before it runs. */
    private static final Pattern WAIT = Pattern.compile("/\\*\\s*wait (\\d+) ?ms\\s*\\*/");

    private final BufferAllocator allocator;
    private final StatementLog log;
    private final BooleanSupplier stopsWithStream;

    /** The statements by their handles, running or ended. Guarded by its own lock. */
    private final Map<String, RunningStatement> statements;

    StatementRunner(BufferAllocator allocator, StatementLog log, BooleanSupplier stopsWithStream) {
        this.allocator = allocator;
        this.log = log;
        this.stopsWithStream = stopsWithStream;
        statements = Collections.synchronizedMap(new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, RunningStatement> eldest) {
                return size() > REMEMBERED_MAX;
            }
        });
    }

    void add(String handle, RunningStatement statement) {
        statements.put(handle, statement);
    }

    RunningStatement find(String handle) {
        RunningStatement statement = statements.get(handle);
        if (statement == null) {
            throw CallStatus.INVALID_ARGUMENT
                    .withDescription("unknown statement")
                    .toRuntimeException();
        }
        return statement;
    }

    void stopAll() {
        synchronized (statements) {
            statements.values().forEach(RunningStatement::stop);
        }
    }

    /** Executes the statement under its session's lock. */
    void run(RunningStatement running, Work work) {
        Context.CancellationListener stop = context -> running.stop();
        if (stopsWithStream.getAsBoolean()) {
            Context.current().addListener(stop, Runnable::run);
        }
        boolean locked = false;
        try {
            running.session.lock.acquire();
            locked = true;
            log.add(running.sql);
            Matcher wait = WAIT.matcher(running.sql);
            if (wait.find()) {
                running.pause(Long.parseLong(wait.group(1)));
            }
            if (running.isStopped()) {
                throw new SQLException("INTERRUPT Error: Interrupted!");
            }
            work.run();
        } catch (SQLException e) {
            throw failure(e);
        } catch (IOException e) {
            throw CallStatus.INTERNAL
                    .withDescription(e.getMessage())
                    .withCause(e)
                    .toRuntimeException();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CallStatus.CANCELLED.withDescription("the server stops").toRuntimeException();
        } finally {
            Context.current().removeListener(stop);
            running.end();
            if (locked) {
                running.session.usedNanos = System.nanoTime();
                running.session.lock.release();
            }
        }
    }

    static FlightRuntimeException failure(SQLException e) {
        String text = String.valueOf(e.getMessage());
        if (text.contains("INTERRUPT Error")) {
            return CallStatus.CANCELLED
                    .withDescription("the statement was cancelled")
                    .toRuntimeException();
        }
        CallStatus status = text.contains("transaction is aborted") ? CallStatus.INVALID_ARGUMENT : CallStatus.INTERNAL;
        return status.withDescription("duckdb error: " + text).toRuntimeException();
    }

    /** Streams the result of a statement that is being executed. */
    void stream(RunningStatement running, ServerStreamListener listener) throws SQLException, IOException {
        try (ResultSet rows = running.statement.executeQuery();
                ArrowReader reader = (ArrowReader) ((DuckDBResultSet) rows).arrowExportStream(allocator, BATCH_ROWS)) {
            var readers = new BackpressureStrategy.CallbackBackpressureStrategy();
            readers.register(listener);
            listener.start(reader.getVectorSchemaRoot());
            while (reader.loadNextBatch()) {
                awaitReader(running, readers);
                if (listener.isCancelled() || running.isStopped()) {
                    throw new SQLException("INTERRUPT Error: Interrupted!");
                }
                listener.putNext();
            }
        }
        listener.completed();
    }

    private static void awaitReader(
            RunningStatement running, BackpressureStrategy.CallbackBackpressureStrategy readers) {
        BackpressureStrategy.WaitResult result;
        do {
            result = readers.waitForListener(READER_PATIENCE_MILLIS);
        } while (result == BackpressureStrategy.WaitResult.TIMEOUT && !running.isStopped());
    }

    /** The part of an execution that needs the session's lock. */
    @FunctionalInterface
    interface Work {
        void run() throws SQLException, IOException;
    }
}
