package dev.reservoir.flightsql;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows each call through the pool, for traces. {@code OpenTelemetryTracer} in the package {@code otel} is one. The
 * pool never passes on SQL, parameters or credentials. Methods are called on threads of callers and of the pool; they
 * must not block. What they throw is logged and has no other effect.
 */
@FunctionalInterface
public interface CallTracer {
    /** Follows nothing. */
    CallTracer NONE = operation -> Trace.NONE;

    /** A call begins on this thread, which is the caller's unless {@link #carry} says otherwise. */
    Trace begin(Operation operation);

    /** Makes a task that will run on another thread belong to what the caller does now. */
    default <T extends @Nullable Object> Supplier<T> carry(Supplier<T> task) {
        return task;
    }

    /**
     * What the caller does, and where.
     *
     * @param name the method that was called, such as {@code query}
     * @param pool the name of the pool
     * @param host the server's host
     * @param port the server's port
     */
    record Operation(String name, String pool, String host, int port) {}

    /** The parts of a call. A call that is sent twice has each of them twice. */
    enum Step {
        /** The wait for a connection. */
        ACQUIRE,
        /** From the request to the answer, or until the result is read to its end or closed. */
        CALL,
        /** From there until the connection is back in the pool or is dropped. Includes stopping a statement. */
        RELEASE
    }

    /** Follows one call. */
    @FunctionalInterface
    interface Trace {
        /** Follows nothing. */
        Trace NONE = step -> Span.NONE;

        /** A step begins, on any thread. */
        Span start(Step step);
    }

    /** A step that has begun. */
    @FunctionalInterface
    interface Span {
        /** Follows nothing. */
        Span NONE = error -> {};

        /** The step has ended, with this error if it failed. Called once, on any thread. */
        void end(@Nullable Throwable error);
    }
}
