package dev.reservoir.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.JDBCType;
import java.sql.SQLType;
import java.sql.ShardingKey;
import java.util.Calendar;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;

/** Sample values of every type that occurs in JDBC. */
public final class SampleValues {

    private SampleValues() {}

    public static Object[] argumentsOf(Method method) {
        Class<?>[] types = method.getParameterTypes();
        Object[] values = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            values[i] = of(types[i]);
        }
        return values;
    }

    static Object of(Class<?> type) {
        if (type == void.class) {
            return null;
        }
        if (type == boolean.class) {
            return true;
        }
        if (type == String.class || type == Object.class) {
            return "sample";
        }
        if (type.isPrimitive()) {
            return number(type);
        }
        if (type.isArray()) {
            return java.lang.reflect.Array.newInstance(type.getComponentType(), 1);
        }
        return object(type);
    }

    private static Object number(Class<?> type) {
        return switch (type.getName()) {
            case "byte" -> (byte) 7;
            case "short" -> (short) 7;
            case "int" -> 7;
            case "long" -> 7L;
            case "float" -> 7f;
            case "double" -> 7d;
            default -> throw new IllegalArgumentException("no sample of " + type);
        };
    }

    private static Object object(Class<?> type) {
        if (type == Class.class) {
            return String.class;
        }
        if (type == Map.class) {
            return Map.of();
        }
        if (type == Properties.class) {
            return new Properties();
        }
        if (type == Executor.class) {
            return (Executor) Runnable::run;
        }
        if (type == SQLType.class) {
            return JDBCType.INTEGER;
        }
        if (type == ShardingKey.class) {
            return new ShardingKey() {};
        }
        if (type == InputStream.class) {
            return InputStream.nullInputStream();
        }
        if (type == Reader.class) {
            return Reader.nullReader();
        }
        if (type == Calendar.class) {
            return Calendar.getInstance();
        }
        if (type == BigDecimal.class) {
            return BigDecimal.ONE;
        }
        if (type == java.sql.Date.class) {
            return new java.sql.Date(0);
        }
        if (type == java.sql.Time.class) {
            return new java.sql.Time(0);
        }
        if (type == java.sql.Timestamp.class) {
            return new java.sql.Timestamp(0);
        }
        if (type == URL.class) {
            return SampleValues.class.getResource("SampleValues.class");
        }
        if (type == java.sql.SQLWarning.class) {
            return new java.sql.SQLWarning("sample");
        }
        if (type == java.sql.RowIdLifetime.class) {
            return java.sql.RowIdLifetime.ROWID_UNSUPPORTED;
        }
        return type.isInterface() ? new Recorder().idle(type) : fail(type);
    }

    private static Object fail(Class<?> type) {
        throw new IllegalArgumentException("no sample of " + type);
    }
}
