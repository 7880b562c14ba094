package dev.reservoir.cli;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * Where a PostgreSQL is, and how to log in to it. Shows no password.
 *
 * @param password empty if none was given
 */
record BackendUrl(String host, int port, String database, String user, String password) {
    private static final int PORT_DEFAULT = 5432;

    /** Reads what people give psql. */
    static BackendUrl parse(String option, String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw refused(option);
        }
        boolean isPostgres = "postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme());
        String path = uri.getPath() == null ? "" : uri.getPath().replaceFirst("^/", "");
        String login = uri.getRawUserInfo();
        if (!isPostgres || uri.getHost() == null || login == null || uri.getQuery() != null) {
            throw refused(option);
        }
        if (uri.getPort() == 0 || uri.getPort() > Setting.PORT_MOST) {
            throw new Misused(option + " has the port " + uri.getPort() + "; allowed: 1 to " + Setting.PORT_MOST);
        }
        int at = login.indexOf(':');
        return new BackendUrl(
                uri.getHost(),
                uri.getPort() < 0 ? PORT_DEFAULT : uri.getPort(),
                path.isEmpty() ? "postgres" : path,
                decoded(at < 0 ? login : login.substring(0, at)),
                at < 0 ? "" : decoded(login.substring(at + 1)));
    }

    /** Without what was given, since a password may be in it. */
    private static Misused refused(String option) {
        return new Misused(
                option
                        + " is not such an address; allowed: postgresql://user:password@host:port/database, without parameters");
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return user + "@" + host + ":" + port + "/" + database;
    }
}
