package dev.reservoir.pgwire;

import java.util.Map;

/**
 * A client that has logged in.
 *
 * @param user the user
 * @param database the database, which is the user's name if the client names none
 * @param parameters all parameters of the startup message
 */
public record ClientInfo(String user, String database, Map<String, String> parameters) {}
