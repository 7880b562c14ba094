package dev.reservoir.flightsql.call;

import dev.reservoir.flightsql.connect.FlightConnection;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlClient.PreparedStatement;
import org.apache.arrow.flight.sql.FlightSqlClient.Transaction;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * A statement with its parameters, if it has any. A statement with parameters is prepared for one execution.
 *
 * @param parameters creates the batch of parameters, which the request closes; null if there are none
 */
public record Request(String sql, @Nullable Function<BufferAllocator, VectorSchemaRoot> parameters) {

    /** A statement without parameters. */
    public static Request of(String sql) {
        return new Request(sql, null);
    }

    /**
     * Begins to execute the statement as a query.
     *
     * @param oneOff takes the statement that was prepared for this execution. The caller closes it afterwards, also if
     *     the execution fails.
     */
    public FlightInfo query(
            FlightConnection connection,
            @Nullable Transaction transaction,
            BufferAllocator allocator,
            Consumer<PreparedStatement> oneOff,
            CallOption... options) {
        FlightSqlClient client = connection.client();
        if (parameters == null) {
            return client.execute(sql, transaction, options);
        }
        PreparedStatement statement = client.prepare(sql, transaction, options);
        oneOff.accept(statement);
        return bound(statement, allocator, () -> statement.execute(options));
    }

    /**
     * Executes the statement as an update and returns the number of rows that the server reports.
     *
     * @param oneOff as for a query
     */
    public long update(
            FlightConnection connection,
            @Nullable Transaction transaction,
            BufferAllocator allocator,
            Consumer<PreparedStatement> oneOff,
            CallOption... options) {
        FlightSqlClient client = connection.client();
        if (parameters == null) {
            return client.executeUpdate(sql, transaction, options);
        }
        PreparedStatement statement = client.prepare(sql, transaction, options);
        oneOff.accept(statement);
        return bound(statement, allocator, () -> statement.executeUpdate(options));
    }

    /** Executes a prepared statement with the parameters of this request. */
    public <T> T bound(PreparedStatement statement, BufferAllocator allocator, Supplier<T> execution) {
        if (parameters == null) {
            return execution.get();
        }
        try (VectorSchemaRoot root = parameters.apply(allocator)) {
            statement.setParameters(root);
            return execution.get();
        } finally {
            // The statement would close the batch once more when it is closed, which does nothing.
            statement.clearParameters();
        }
    }
}
