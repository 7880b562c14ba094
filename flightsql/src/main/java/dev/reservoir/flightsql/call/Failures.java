package dev.reservoir.flightsql.call;

import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.Text;
import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.connect.FlightConnection;
import io.grpc.StatusRuntimeException;
import java.util.List;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.grpc.StatusUtils;
import org.jspecify.annotations.Nullable;

/**
 * Tells what the failure of a call means. An error of the server is not a failure of the connection: servers report SQL
 * errors as INTERNAL, so only the channel itself shows whether the connection is lost.
 */
public final class Failures {
    private Failures() {}

    /** Judges a failure of a call on this connection. */
    public static FlightSqlException of(String pool, Throwable error, FlightConnection connection, Deadline deadline) {
        if (error instanceof FlightSqlException judged) {
            return judged;
        }
        CallStatus status = status(error);
        FlightStatusCode code = status == null ? null : status.code();
        Kind kind = kind(error, code, connection);
        String words = words(error, status);
        return new FlightSqlException(kind, code, pool + ": " + message(kind, words, connection, deadline), error);
    }

    /** The server's words. Some servers give only a code. */
    private static String words(Throwable error, @Nullable CallStatus status) {
        if (status != null
                && status.description() != null
                && !status.description().isBlank()) {
            return Text.shortLine(status.description());
        }
        Throwable root = Causes.root(error);
        if (status == null || !(root instanceof FlightRuntimeException || root instanceof StatusRuntimeException)) {
            return Text.words(root);
        }
        return status.code() == FlightStatusCode.UNIMPLEMENTED
                ? "the server does not support this request (UNIMPLEMENTED)"
                : "the server gave no reason (" + status.code() + ")";
    }

    private static Kind kind(Throwable error, @Nullable FlightStatusCode code, FlightConnection connection) {
        if (Causes.contain(error, InterruptedException.class)) {
            // Arrow clears the flag, and the caller must still see the interrupt.
            Thread.currentThread().interrupt();
            return Kind.CANCELLED;
        }
        if (code == FlightStatusCode.TIMED_OUT) {
            return Kind.TIMEOUT;
        }
        if (connection.isLost() || code == FlightStatusCode.UNAVAILABLE) {
            return Kind.CONNECTION_LOST;
        }
        return code == FlightStatusCode.CANCELLED ? Kind.CANCELLED : Kind.SQL;
    }

    private static String message(Kind kind, String words, FlightConnection connection, Deadline deadline) {
        return switch (kind) {
            case TIMEOUT ->
                deadline.timeout() == null
                        ? "the server gave up: " + words
                        : "no result within the timeout of "
                                + Text.nanos(deadline.timeout().toNanos()) + "; the statement may have run";
            case CANCELLED -> "the call was cancelled; the statement may have run: " + words;
            case CONNECTION_LOST ->
                "the connection was lost during the call"
                        + (connection.whyLost() == null ? "" : " (" + connection.whyLost() + ")")
                        + "; the statement may have run: " + words;
            default -> words;
        };
    }

    /** The innermost status that says more than that a call was cancelled because of another error. */
    private static @Nullable CallStatus status(Throwable error) {
        CallStatus found = null;
        List<Throwable> chain = Causes.of(error);
        for (Throwable cause : chain) {
            CallStatus status = null;
            if (cause instanceof FlightRuntimeException flight) {
                status = flight.status();
            } else if (cause instanceof StatusRuntimeException grpc) {
                status = StatusUtils.fromGrpcRuntimeException(grpc).status();
            }
            if (status != null && (found == null || found.code() == FlightStatusCode.CANCELLED)) {
                found = status;
            }
        }
        return found;
    }

    /** Whether the session may be gone although the connection is there: a health check must tell. */
    public static boolean needsHealthCheck(FlightSqlException failure) {
        return failure.kind() == Kind.SQL && failure.status() == FlightStatusCode.RESOURCE_EXHAUSTED;
    }
}
