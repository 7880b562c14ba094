package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.model.ServerDefinition;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Writes JDBC URLs. */
final class Urls {
    private Urls() {}

    /** {@code prefix//host:port/database}, as most drivers want it. */
    static String plain(String prefix, ServerDefinition server) {
        String database = server.database();
        return prefix + address(server) + "/" + (database == null ? "" : encode(database));
    }

    /** {@code //host:port}. */
    static String address(ServerDefinition server) {
        return "//" + ConnectOptions.urlHost(server) + ":" + server.port();
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
