package dev.reservoir.flightsql;

import dev.reservoir.core.SettingException;
import dev.reservoir.flightsql.call.Request;
import dev.reservoir.flightsql.value.ParameterBatch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** Makes requests of statements and parameters, and refuses parameters before a connection is acquired. */
final class Parameters {
    private Parameters() {}

    static Request of(String sql, List<? extends @Nullable Object> values, BufferAllocator allocator) {
        if (values.isEmpty()) {
            return Request.of(sql);
        }
        List<@Nullable Object> copy = Collections.unmodifiableList(new ArrayList<>(values));
        ParameterBatch.of(copy, allocator).close();
        return new Request(sql, memory -> ParameterBatch.of(copy, memory));
    }

    /** The batch stays the caller's. The request uses a view of it, since Arrow's client closes what it has sent. */
    static Request of(String sql, VectorSchemaRoot batch) {
        if (batch.getRowCount() == 0) {
            throw new SettingException("parameters", "a batch without rows", "a batch with at least one row");
        }
        return new Request(sql, memory -> batch.slice(0));
    }
}
