package dev.reservoir.remote;

import dev.reservoir.jdbc.AbstractDriver;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Acquires connections for {@code jdbc:reservoir:remote:<server>?localUser=<user>}. The parameters can also be given as
 * properties. {@code registry} names another registry than the default one. Never opens a connection itself.
 */
public final class RemoteDriver extends AbstractDriver {
    /** Begins the URLs of this driver. */
    public static final String PREFIX = "jdbc:reservoir:remote:";

    private static final String LOCAL_USER = "localUser";
    private static final String REGISTRY = "registry";
    private static final String ALLOWED = PREFIX + "<server>?localUser=<user>[&registry=<name>]";

    static {
        register(new RemoteDriver());
    }

    /** For the service loader. */
    public RemoteDriver() {
        super(PREFIX, ALLOWED);
    }

    /** Blocks for the server's {@code acquire_timeout} at most. */
    @Override
    public @Nullable Connection connect(String url, @Nullable Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        Properties given = parse(url, info);
        String user = given.getProperty(LOCAL_USER);
        if (user == null || user.isEmpty()) {
            throw refused("localUser is missing");
        }
        String name = given.getProperty(REGISTRY, RemoteConnectionPoolRegistry.DEFAULT_NAME);
        RemoteConnectionPoolRegistry registry = RemoteConnectionPoolRegistry.named(name);
        if (registry == null) {
            throw refused("there is no registry named " + name);
        }
        return registry.connection(given.getProperty(""), user, null);
    }

    /** The parameters of the URL and, behind them, the properties. The server has the empty key. */
    private static Properties parse(String url, @Nullable Properties info) throws SQLException {
        Properties given = new Properties();
        if (info != null) {
            info.stringPropertyNames().forEach(key -> given.setProperty(key, info.getProperty(key)));
        }
        String rest = url.substring(PREFIX.length());
        int mark = rest.indexOf('?');
        given.setProperty("", decoded(mark < 0 ? rest : rest.substring(0, mark)));
        for (String parameter :
                mark < 0 ? new String[0] : rest.substring(mark + 1).split("&", -1)) {
            int equals = parameter.indexOf('=');
            String key = equals < 0 ? parameter : parameter.substring(0, equals);
            if (!key.equals(LOCAL_USER) && !key.equals(REGISTRY)) {
                throw refused("it has the unknown parameter " + key);
            }
            given.setProperty(key, equals < 0 ? "" : decoded(parameter.substring(equals + 1)));
        }
        return given;
    }

    private static String decoded(String text) throws SQLException {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw refused("a % is not followed by two hexadecimal digits");
        }
    }

    private static SQLException refused(String why) {
        return new SQLNonTransientConnectionException("url: " + why + "; allowed: " + ALLOWED, "08001");
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties info) {
        DriverPropertyInfo user =
                property(LOCAL_USER, null, "the local user whose mapping the connection logs in with");
        user.required = true;
        String registry = RemoteConnectionPoolRegistry.DEFAULT_NAME;
        return new DriverPropertyInfo[] {user, property(REGISTRY, registry, "the name of the registry")};
    }
}
