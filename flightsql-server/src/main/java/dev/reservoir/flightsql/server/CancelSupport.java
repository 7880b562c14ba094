package dev.reservoir.flightsql.server;

/** How a client can stop a statement on the server. */
public enum CancelSupport {
    /** Not at all: the statement runs to its end under the session's lock. Requests are UNIMPLEMENTED. */
    NONE,
    /** The same, and requests are INVALID_ARGUMENT, as a server in Rust answers them. */
    NONE_INVALID_ARGUMENT,
    /** With the action {@code CancelFlightInfo}. */
    FLIGHT_INFO,
    /** With the action {@code CancelQuery} of Flight SQL. */
    QUERY,
    /** With an action {@code CancelQuery} of the server's own, whose body is the ticket. */
    TICKET
}
