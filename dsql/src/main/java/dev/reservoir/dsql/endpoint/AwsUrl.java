package dev.reservoir.dsql.endpoint;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A URL of AWS's JDBC connector for Aurora DSQL: {@code jdbc:aws-dsql:postgresql://host:port/database?user=admin}. The
 * connector's own parameters are {@code user}, {@code region}, {@code profile} and {@code token-duration-secs}. All
 * others belong to the PostgreSQL driver. Never connects.
 *
 * @param driverProperties the parameters of the PostgreSQL driver
 */
public record AwsUrl(
        Endpoint endpoint,
        @Nullable String database,
        @Nullable String user,
        @Nullable String region,
        @Nullable String profile,
        @Nullable String tokenDurationSeconds,
        Map<String, String> driverProperties) {
    /** How these URLs begin. */
    public static final String PREFIX = "jdbc:aws-dsql:postgresql://";

    public static boolean isAwsUrl(@Nullable String url) {
        return url != null && url.startsWith(PREFIX);
    }

    /** Parses a URL. The error message for a rejected URL contains no parameter values, because one may be a secret. */
    public static AwsUrl parse(String url) {
        if (!isAwsUrl(url)) {
            throw new IllegalArgumentException("url is " + withoutParameters(url) + "; allowed: " + PREFIX
                    + "<host>:<port>/<database>?<parameters>");
        }
        String rest = url.substring(PREFIX.length());
        int query = rest.indexOf('?');
        String address = query < 0 ? rest : rest.substring(0, query);
        Map<String, String> parameters = query < 0 ? new LinkedHashMap<>() : parameters(rest.substring(query + 1));
        if (parameters.containsKey("database")) {
            throw new IllegalArgumentException(
                    "url is " + withoutParameters(url) + "; allowed: the database after the host, not as a parameter");
        }
        parameters.keySet().stream()
                .filter(key -> key.toLowerCase(Locale.ROOT).equals("password"))
                .findFirst()
                .ifPresent(key -> {
                    throw new IllegalArgumentException("url is " + withoutParameters(url) + " with " + key
                            + "; allowed: no password, because tokens replace it");
                });
        int slash = address.indexOf('/');
        String host = slash < 0 ? address : address.substring(0, slash);
        String database = slash < 0 ? "" : decoded(address.substring(slash + 1));
        return new AwsUrl(
                Endpoint.parse("the host in url", host),
                database.isEmpty() ? null : database,
                parameters.remove("user"),
                parameters.remove("region"),
                parameters.remove("profile"),
                parameters.remove("token-duration-secs"),
                parameters);
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String parameter : query.split("&", -1)) {
            if (!parameter.isEmpty()) {
                int equals = parameter.indexOf('=');
                String key = equals < 0 ? parameter : parameter.substring(0, equals);
                parameters.put(decoded(key), equals < 0 ? "" : decoded(parameter.substring(equals + 1)));
            }
        }
        return parameters;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String withoutParameters(String url) {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query) + "?...";
    }
}
