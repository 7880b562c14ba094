package dev.reservoir.cli.run;

import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * The address of a PostgreSQL server and the user who logs in. Never holds a password, because everybody on the machine
 * can see the arguments of a command.
 */
record BackendUrl(String host, int port, String database, String user) {
    private static final int PORT_DEFAULT = 5432;

    /** Reads an address in the form that psql accepts. */
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
            throw new MisuseException(
                    option + " has the port " + uri.getPort() + "; allowed: 1 to " + Setting.PORT_MOST);
        }
        if (login.indexOf(':') >= 0) {
            throw new MisuseException(
                    option + " has a password in it, which everybody on this machine can see; allowed:"
                            + " postgresql://user@host:port/database, with the password in --backend-password-file"
                            + " or PGPASSWORD");
        }
        return new BackendUrl(
                uri.getHost(),
                uri.getPort() < 0 ? PORT_DEFAULT : uri.getPort(),
                path.isEmpty() ? "postgres" : path,
                decoded(login));
    }

    /** The message does not contain the given text, because it may contain a password. */
    private static MisuseException refused(String option) {
        return new MisuseException(
                option + " is not such an address; allowed: postgresql://user@host:port/database, without parameters");
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return user + "@" + host + ":" + port + "/" + database;
    }
}
