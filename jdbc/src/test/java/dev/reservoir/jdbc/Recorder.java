package dev.reservoir.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Records every call to objects of a driver. Wraps the connection of a real driver, or replaces a driver. As a
 * replacement it does nothing and returns some value of the right type.
 */
public final class Recorder {
    private static final Set<Class<?>> INTERFACES = Set.of(
            Array.class,
            Blob.class,
            CallableStatement.class,
            Clob.class,
            Connection.class,
            DatabaseMetaData.class,
            NClob.class,
            ParameterMetaData.class,
            PreparedStatement.class,
            Ref.class,
            ResultSet.class,
            ResultSetMetaData.class,
            RowId.class,
            SQLXML.class,
            Savepoint.class,
            Statement.class,
            Struct.class);

    public record Call(Method method, List<Object> arguments, Object answer) {}

    public final List<Call> calls = new ArrayList<>();

    /** If set, every call throws it. */
    public Throwable failure;

    /** The exceptions that methods throw, by method name. */
    public final Map<String, Throwable> failures = new HashMap<>();

    /** Called during each call. */
    public Consumer<Method> whileCalled = method -> {};

    /** Answers by method name. They come before anything else. */
    public final Map<String, Object> answers = new HashMap<>();

    /** The names of the called methods, in order. */
    public List<String> names() {
        return calls.stream().map(c -> c.method().getName()).toList();
    }

    public void clear() {
        calls.clear();
    }

    public Connection of(Connection real) {
        return proxy(Connection.class, real);
    }

    /** Returns an object of a driver that does nothing. */
    public <T> T idle(Class<T> type) {
        return proxy(type, null);
    }

    private <T> T proxy(Class<T> type, Object real) {
        InvocationHandler handler = (self, method, arguments) -> {
            switch (method.getName()) {
                case "hashCode" -> {
                    return System.identityHashCode(self);
                }
                case "equals" -> {
                    return self == arguments[0];
                }
                case "toString" -> {
                    return "secret";
                }
                default -> {
                    return call(real, method, arguments);
                }
            }
        };
        return type.cast(Proxy.newProxyInstance(Recorder.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private Object call(Object real, Method method, Object[] arguments) throws Throwable {
        List<Object> list = arguments == null ? List.of() : Arrays.asList(arguments);
        whileCalled.accept(method);
        Throwable thrown = failure != null ? failure : failures.get(method.getName());
        if (thrown != null) {
            calls.add(new Call(method, list, null));
            throw thrown;
        }
        Object answer = answers.containsKey(method.getName())
                ? answers.get(method.getName())
                : real == null ? anyValue(method.getReturnType()) : forward(real, method, arguments);
        calls.add(new Call(method, list, answer));
        return answer;
    }

    private Object forward(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            Object answer = method.invoke(real, arguments);
            Class<?> type = method.getReturnType();
            return answer != null && INTERFACES.contains(type) ? proxy(type, answer) : answer;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Object anyValue(Class<?> type) throws SQLException {
        if (INTERFACES.contains(type)) {
            return proxy(type, null);
        }
        return SampleValues.of(type);
    }
}
