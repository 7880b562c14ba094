package dev.reservoir.flightsql.jdbc;

import dev.reservoir.flightsql.QueryResult;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.ResultSet;
import java.sql.SQLFeatureNotSupportedException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link ResultSet} with the methods of {@link ResultSetView}. The interface has some 190 methods, most of
 * them for updates and for scrolling. A proxy refuses them all in one place.
 */
public final class ResultSetProxy implements InvocationHandler {
    private static final Map<Method, Target> TARGETS = targets();

    private final ResultSetView view;

    private ResultSetProxy(ResultSetView view) {
        this.view = view;
    }

    /** Shows the result as a result set. To close one is to close the other. */
    public static ResultSet of(QueryResult result) {
        return (ResultSet) Proxy.newProxyInstance(
                ResultSetProxy.class.getClassLoader(),
                new Class<?>[] {ResultSet.class},
                new ResultSetProxy(new ResultSetView(result)));
    }

    /**
     * A supported method.
     *
     * @param byName whether the first argument is a column's name, and the method of the view takes its number
     */
    private record Target(Method method, boolean byName) {}

    private static Map<Method, Target> targets() {
        Map<Method, Target> targets = new HashMap<>();
        for (Method method : ResultSet.class.getMethods()) {
            Class<?>[] parameters = method.getParameterTypes();
            Method same = find(method.getName(), parameters);
            if (same != null) {
                targets.put(method, new Target(same, false));
            } else if (parameters.length > 0 && parameters[0] == String.class) {
                parameters[0] = int.class;
                Method byNumber = find(method.getName(), parameters);
                if (byNumber != null) {
                    targets.put(method, new Target(byNumber, true));
                }
            }
        }
        return targets;
    }

    private static @Nullable Method find(String name, Class<?>... parameters) {
        try {
            return ResultSetView.class.getMethod(name, parameters);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, method, arguments);
        }
        if (isOwn(method, proxy, arguments)) {
            return method.getName().equals("unwrap") ? proxy : true;
        }
        Target target = TARGETS.get(method);
        if (target == null) {
            throw new SQLFeatureNotSupportedException(
                    method.getName() + ": the result is read only and is read forward only", SqlErrors.NOT_SUPPORTED);
        }
        @Nullable Object @Nullable [] passed = arguments;
        if (target.byName && arguments != null) {
            passed = arguments.clone();
            passed[0] = view.findColumn(String.valueOf(arguments[0]));
        }
        try {
            return target.method.invoke(view, passed);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** Whether this asks for the result set itself by one of its types. */
    private static boolean isOwn(Method method, Object proxy, @Nullable Object @Nullable [] arguments) {
        return method.getName().matches("unwrap|isWrapperFor")
                && arguments != null
                && arguments[0] instanceof Class<?> type
                && type.isInstance(proxy);
    }

    private Object ofObject(Object proxy, Method method, @Nullable Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "ResultSet[" + (view.isClosed() ? "closed" : "open") + "]";
        };
    }
}
