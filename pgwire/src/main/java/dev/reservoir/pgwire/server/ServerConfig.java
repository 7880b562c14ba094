package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.QueryHandler;
import dev.reservoir.pgwire.auth.ScramUsers;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a server. {@link dev.reservoir.pgwire.PgServer.Builder} describes and checks them.
 *
 * @param handlers creates the handlers of sessions
 * @param users who may log in; empty if nobody needs a password
 * @param name the name of the threads
 * @param serverVersion the version of PostgreSQL that clients are told
 * @param tls the keys for TLS, or null for no TLS
 * @param maxSessions most sessions at a time
 * @param maxMessageBytes longest message of a client
 * @param startupTimeout longest time of a login
 * @param idleTimeout longest time without a message
 */
public record ServerConfig(
        QueryHandler.Factory handlers,
        ScramUsers users,
        String name,
        String serverVersion,
        @Nullable SSLContext tls,
        int maxSessions,
        int maxMessageBytes,
        Duration startupTimeout,
        Duration idleTimeout) {}
