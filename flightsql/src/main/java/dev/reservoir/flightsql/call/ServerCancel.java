package dev.reservoir.flightsql.call;

import dev.reservoir.flightsql.connect.FlightConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CallOptions;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelFlightInfoResult;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightConstants;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.sql.CancelResult;

/**
 * Asks the server to stop a statement, in each way that servers know, until one confirms it. Which ways the server
 * supports is learned by calling and remembered for the whole pool, since a server's own list cannot be trusted.
 */
public final class ServerCancel {
    /** The name of the action that servers offer in Flight SQL's place, with the ticket as its body. */
    private static final String TICKET_ACTION = "CancelQuery";

    /** The pause before a server that has not stopped the statement yet is asked again. */
    private static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The ways, in the order in which they are tried. */
    public enum Way {
        CANCEL_FLIGHT_INFO,
        CANCEL_QUERY,
        CANCEL_TICKET
    }

    private final Map<Way, Boolean> supported = new ConcurrentHashMap<>();

    /** What has been learned: true for a way that worked, false for one that the server does not know. */
    public Map<Way, Boolean> learned() {
        return Map.copyOf(supported);
    }

    /** Returns whether the server says that the statement has stopped. Blocks until the deadline at most. */
    public boolean stop(FlightConnection connection, FlightInfo info, Deadline deadline) {
        for (Way way : Way.values()) {
            if (!Boolean.FALSE.equals(supported.get(way)) && !deadline.hasPassed() && !connection.isLost()) {
                try {
                    boolean stopped = ask(way, connection, info, deadline);
                    supported.put(way, true);
                    return stopped;
                } catch (FlightRuntimeException e) {
                    note(way, e.status().code());
                } catch (RuntimeException e) {
                    // An answer that cannot be read confirms nothing.
                }
            }
        }
        return false;
    }

    /** Servers in Java say UNIMPLEMENTED, servers in Rust INVALID_ARGUMENT, which others say of a wrong statement. */
    private void note(Way way, FlightStatusCode code) {
        if (code == FlightStatusCode.UNIMPLEMENTED || code == FlightStatusCode.INVALID_ARGUMENT) {
            supported.putIfAbsent(way, false);
        }
    }

    private static CallOption until(Deadline deadline) {
        return CallOptions.timeout(deadline.leftNanos(Long.MAX_VALUE), TimeUnit.NANOSECONDS);
    }

    /**
     * Asks again while the server is at it. Arrow's own method reads the first answer only, and a server may send
     * several: DazzleDuck says that it begins, and then that it is done.
     */
    private static boolean cancelFlightInfo(FlightConnection connection, FlightInfo info, Deadline deadline) {
        byte[] body = new CancelFlightInfoRequest(info).serialize().array();
        Action action = new Action(FlightConstants.CANCEL_FLIGHT_INFO.getType(), body);
        CancelStatus last = CancelStatus.CANCELLING;
        while (last == CancelStatus.CANCELLING && !deadline.hasPassed()) {
            Iterator<Result> answers = connection.flight().doAction(action, until(deadline));
            last = CancelStatus.UNSPECIFIED;
            while (answers.hasNext()) {
                last = status(answers.next());
            }
            if (last == CancelStatus.CANCELLING) {
                LockSupport.parkNanos(deadline.leftNanos(ASK_AGAIN_NANOS));
            }
        }
        return last == CancelStatus.CANCELLED;
    }

    private static CancelStatus status(Result answer) {
        try {
            return CancelFlightInfoResult.deserialize(ByteBuffer.wrap(answer.getBody()))
                    .getStatus();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("deprecation") // servers before Arrow 13 know only the deprecated way
    private static boolean ask(Way way, FlightConnection connection, FlightInfo info, Deadline deadline) {
        CallOption options = until(deadline);
        return switch (way) {
            case CANCEL_FLIGHT_INFO -> cancelFlightInfo(connection, info, deadline);
            case CANCEL_QUERY -> connection.client().cancelQuery(info, options) == CancelResult.CANCELLED;
            case CANCEL_TICKET -> {
                byte[] ticket = info.getEndpoints().get(0).getTicket().getBytes();
                connection
                        .flight()
                        .doAction(new Action(TICKET_ACTION, ticket), options)
                        .forEachRemaining(result -> {});
                yield true;
            }
        };
    }
}
