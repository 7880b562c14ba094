package dev.reservoir.jdbc.connect;

import java.net.Socket;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Finds the socket behind a connection of MySQL Connector/J. That driver accepts only its own kind of socket factory,
 * which cannot be written without its classes. So this class calls public methods of the driver by name. Never opens a
 * socket and never blocks.
 */
final class ConnectorJSocket {
    /**
     * The class of connections to one host. Connections to several hosts are proxies, which may change their socket at
     * any time.
     */
    private static final String TO_ONE_HOST = "com.mysql.cj.jdbc.ConnectionImpl";

    private ConnectorJSocket() {}

    /**
     * Returns the socket, with or without TLS. Returns null for another driver, or for a version with other methods.
     */
    static @Nullable Socket of(Connection raw) {
        if (!raw.getClass().getName().equals(TO_ONE_HOST)) {
            return null;
        }
        try {
            Object session = called(raw, "getSession", TO_ONE_HOST);
            Object protocol = called(session, "getProtocol", "com.mysql.cj.NativeSession");
            Object connection = called(protocol, "getSocketConnection", "com.mysql.cj.protocol.AbstractProtocol");
            Object socket = called(connection, "getMysqlSocket", "com.mysql.cj.protocol.SocketConnection");
            return socket instanceof Socket found ? found : null;
        } catch (ReflectiveOperationException | IllegalArgumentException | LinkageError e) {
            return null;
        }
    }

    /** @param type declares the method; the class of the object itself may not be public */
    private static Object called(Object object, String method, String type) throws ReflectiveOperationException {
        Class<?> declaring = Class.forName(type, false, object.getClass().getClassLoader());
        Object result = declaring.getMethod(method).invoke(object);
        if (result == null) {
            throw new NoSuchMethodException(type + "." + method + " returned null");
        }
        return result;
    }
}
