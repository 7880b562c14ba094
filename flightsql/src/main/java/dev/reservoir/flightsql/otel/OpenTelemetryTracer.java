package dev.reservoir.flightsql.otel;

import dev.reservoir.flightsql.CallTracer;
import dev.reservoir.flightsql.FlightSqlException;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes spans of OpenTelemetry around acquire, call and release, as children of the span that is current where the
 * method of the pool is called. Names follow the semantic conventions for databases. A span never holds SQL, parameters
 * or the message of an error, since a server's words may quote them.
 */
public final class OpenTelemetryTracer implements CallTracer {
    private static final String SCOPE = "dev.reservoir.flightsql";

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("db.system.name");
    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("db.operation.name");
    private static final AttributeKey<String> STATUS = AttributeKey.stringKey("db.response.status_code");
    private static final AttributeKey<String> POOL = AttributeKey.stringKey("db.client.connection.pool.name");
    private static final AttributeKey<String> HOST = AttributeKey.stringKey("server.address");
    private static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

    /** The value of the semantic conventions for a database that they have no name for. */
    private static final String UNKNOWN_SYSTEM = "other_sql";

    private final Tracer tracer;
    private final String system;

    private OpenTelemetryTracer(Tracer tracer, String system) {
        this.tracer = tracer;
        this.system = system;
    }

    /** Makes spans for a database that the conventions have no name for. */
    public static OpenTelemetryTracer of(OpenTelemetry telemetry) {
        return of(telemetry, UNKNOWN_SYSTEM);
    }

    /**
     * Makes spans.
     *
     * @param system the value of {@code db.system.name}, such as {@code duckdb}
     */
    public static OpenTelemetryTracer of(OpenTelemetry telemetry, String system) {
        return new OpenTelemetryTracer(telemetry.getTracer(SCOPE), system);
    }

    @Override
    public Trace begin(Operation operation) {
        Context caller = Context.current();
        return step -> start(caller, operation, step);
    }

    @Override
    public <T extends @Nullable Object> Supplier<T> carry(Supplier<T> task) {
        return Context.current().wrapSupplier(task);
    }

    private Span start(Context caller, Operation operation, Step step) {
        String name = switch (step) {
            case ACQUIRE -> "acquire " + operation.pool();
            case CALL -> operation.name() + " " + operation.host() + ":" + operation.port();
            case RELEASE -> "release " + operation.pool();
        };
        SpanBuilder builder = tracer.spanBuilder(name)
                .setParent(caller)
                .setSpanKind(step == Step.CALL ? SpanKind.CLIENT : SpanKind.INTERNAL)
                .setAttribute(SYSTEM, system)
                .setAttribute(POOL, operation.pool())
                .setAttribute(HOST, operation.host())
                .setAttribute(PORT, (long) operation.port())
                .setAttribute(OPERATION, operation.name());
        io.opentelemetry.api.trace.Span span = builder.startSpan();
        return error -> end(span, error);
    }

    private static void end(io.opentelemetry.api.trace.Span span, @Nullable Throwable error) {
        if (error != null) {
            span.setStatus(StatusCode.ERROR);
            if (error instanceof FlightSqlException failure) {
                span.setAttribute(ERROR, failure.kind().name());
                if (failure.status() != null) {
                    span.setAttribute(STATUS, failure.status().name());
                }
            } else {
                span.setAttribute(ERROR, error.getClass().getName());
            }
        }
        span.end();
    }
}
