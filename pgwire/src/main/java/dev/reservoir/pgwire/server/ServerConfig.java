package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.QueryHandler;
import dev.reservoir.pgwire.auth.ScramUsers;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The settings of a server. {@link dev.reservoir.pgwire.PgServer.Builder} describes and checks them. */
public record ServerConfig(
        QueryHandler.Factory handlers,
        ScramUsers users,
        String name,
        @Nullable SSLContext tls,
        int maxSessions,
        int maxMessageBytes,
        Duration startupTimeout,
        Duration idleTimeout) {}
