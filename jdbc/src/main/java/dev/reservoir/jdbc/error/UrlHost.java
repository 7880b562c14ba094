package dev.reservoir.jdbc.error;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the host in a JDBC URL. Never shows any other part of the URL, which may hold secrets. */
public final class UrlHost {
    /** Most URLs: {@code jdbc:postgresql://user@host:5432/database}. There must be no {@code =} before the slashes. */
    private static final Pattern AFTER_SLASHES = Pattern.compile("^jdbc:[^/=]*//(.*)$");

    /** Oracle's URLs: {@code jdbc:oracle:thin:user/password@host:1521:sid}, also with two slashes before the host. */
    private static final Pattern ORACLE =
            Pattern.compile("^jdbc:oracle:[a-z]+:.*@(?://)?([^/:]+(?::[0-9]+)?)(?:[/:].*)?$");

    /**
     * Text that may be shown as hosts: names and addresses with or without ports, several of them with commas, and
     * instances of SQL Server.
     */
    private static final Pattern HOSTS =
            Pattern.compile("[A-Za-z0-9._-][A-Za-z0-9._:,\\\\-]*|(?:\\[[0-9A-Fa-f:.%]+](?::[0-9]+)?,?)+");

    private static final Pattern FIRST = Pattern.compile("^(\\[[^]]+]|[^:,\\\\]+)");

    private UrlHost() {}

    /** Returns the host or hosts, with the port if the URL has one. Returns an empty string if the URL has no host. */
    public static String withPort(@Nullable String url) {
        // Parameters follow these characters. A secret among the parameters may hold any other character.
        String address = url == null ? "" : url.split("[?;#]", 2)[0];
        Matcher oracle = ORACLE.matcher(address);
        Matcher usual = AFTER_SLASHES.matcher(address);
        String hosts = "";
        if (oracle.matches()) {
            hosts = oracle.group(1);
        } else if (usual.matches()) {
            // A password may hold slashes. Text before the last @ is never shown.
            String rest = usual.group(1);
            hosts = rest.substring(rest.lastIndexOf('@') + 1).split("/", 2)[0];
        }
        return HOSTS.matcher(hosts).matches() ? hosts : "";
    }

    /** Returns the first host without its port. Returns an empty string if the URL has no host. */
    public static String of(@Nullable String url) {
        Matcher first = FIRST.matcher(withPort(url));
        return first.find() ? first.group(1) : "";
    }
}
