package dev.reservoir.flightsql.connect;

import dev.reservoir.core.SettingException;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * The address of a server.
 *
 * @param tls whether connections are encrypted
 */
public record Endpoint(String host, int port, boolean tls) {
    private static final String ALLOWED =
            "grpc://host:port or grpc+tls://host:port (also grpc+tcp, http, https), without a path";

    /** Parses an address such as {@code grpc://localhost:4214}. */
    public static Endpoint parse(String text) {
        // A user in the address may come with a password, so the text is not shown. A URI whose host is not valid has
        // no user, hence the look at the text.
        if (text.contains("@")) {
            throw new SettingException("endpoint", "an address with a user", ALLOWED);
        }
        URI uri;
        try {
            uri = new URI(text.strip());
        } catch (URISyntaxException e) {
            throw new SettingException("endpoint", "not a URI", ALLOWED);
        }
        // A query may hold a token, so it is not shown either.
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new SettingException("endpoint", "an address with a query or a fragment", ALLOWED);
        }
        boolean hasPath = uri.getPath() != null
                && !uri.getPath().isEmpty()
                && !uri.getPath().equals("/");
        if (uri.getScheme() == null || uri.getHost() == null || uri.getPort() < 1 || hasPath) {
            throw SettingException.unreadable("endpoint", text, ALLOWED);
        }
        return switch (uri.getScheme()) {
            case "grpc", "grpc+tcp", "http" -> new Endpoint(uri.getHost(), uri.getPort(), false);
            case "grpc+tls", "grpcs", "https" -> new Endpoint(uri.getHost(), uri.getPort(), true);
            default -> throw SettingException.unreadable("endpoint", text, ALLOWED);
        };
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
