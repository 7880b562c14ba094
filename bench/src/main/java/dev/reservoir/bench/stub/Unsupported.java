package dev.reservoir.bench.stub;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;

/** The rest of a JDBC interface: methods that return nothing do nothing, and the others throw. */
final class Unsupported {

    private Unsupported() {}

    static <T> T proxy(Class<T> type) {
        Object proxy =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (method.getReturnType() == void.class) {
                        return null;
                    }
                    throw new SQLFeatureNotSupportedException("the stub driver has no " + method.getName());
                });
        return type.cast(proxy);
    }

    /** The stub itself, if it has this type. */
    static Object unwrap(Object stub, Class<?> type) throws SQLException {
        if (type.isInstance(stub)) {
            return stub;
        }
        throw new SQLException("a stub is no " + type.getName());
    }
}
