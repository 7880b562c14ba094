package dev.reservoir.flightsql.pool;

import dev.reservoir.flightsql.CallTracer;
import dev.reservoir.flightsql.CallTracer.Operation;
import dev.reservoir.flightsql.CallTracer.Span;
import dev.reservoir.flightsql.CallTracer.Step;
import dev.reservoir.flightsql.CallTracer.Trace;
import dev.reservoir.flightsql.connect.Endpoint;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the application's tracer. An error in it never reaches a call. Costs nothing if there is no tracer. */
final class Tracing {
    private static final Logger log = LoggerFactory.getLogger(RunningPool.LOGGER);

    private final CallTracer tracer;
    private final String pool;
    private final Endpoint endpoint;

    Tracing(CallTracer tracer, String pool, Endpoint endpoint) {
        this.tracer = tracer;
        this.pool = pool;
        this.endpoint = endpoint;
    }

    /** A call begins on this thread. */
    Trace begin(String operation) {
        if (tracer == CallTracer.NONE) {
            return Trace.NONE;
        }
        Operation described = new Operation(operation, pool, endpoint.host(), endpoint.port());
        Trace trace = guarded(() -> tracer.begin(described), Trace.NONE);
        return step -> start(trace, step);
    }

    private Span start(Trace trace, Step step) {
        Span span = guarded(() -> trace.start(step), Span.NONE);
        return error -> guarded(
                () -> {
                    span.end(error);
                    return true;
                },
                false);
    }

    /** Makes a task that will run on another thread belong to what this thread does now. */
    <T extends @Nullable Object> Supplier<T> carry(Supplier<T> task) {
        return tracer == CallTracer.NONE ? task : guarded(() -> tracer.carry(task), task);
    }

    private <T> T guarded(Supplier<T> use, T otherwise) {
        try {
            return use.get();
        } catch (Throwable e) {
            log.warn(
                    "Flight SQL pool: the tracer failed  error={} pool={}",
                    e.getClass().getName(),
                    pool);
            return otherwise;
        }
    }
}
