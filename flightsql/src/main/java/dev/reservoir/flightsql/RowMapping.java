package dev.reservoir.flightsql;

import dev.reservoir.flightsql.FlightSqlException.Kind;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes records and beans of rows. A record's components and a bean's setters take the columns of the same name,
 * without regard to case and underscores. A column that nothing takes is ignored; a component without a column is an
 * error.
 */
final class RowMapping<T> {
    private final Class<T> type;
    private final Constructor<T> constructor;
    private final List<String> components;
    private final List<Class<?>> componentTypes;
    private final Map<String, Method> setters;

    private RowMapping(Class<T> type) throws NoSuchMethodException {
        this.type = type;
        components = new ArrayList<>();
        componentTypes = new ArrayList<>();
        setters = new LinkedHashMap<>();
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                components.add(component.getName());
                componentTypes.add(component.getType());
            }
        } else {
            for (Method method : type.getMethods()) {
                if (method.getName().startsWith("set") && method.getParameterCount() == 1) {
                    setters.put(key(method.getName().substring(3)), method);
                }
            }
        }
        constructor = type.getDeclaredConstructor(componentTypes.toArray(Class<?>[]::new));
        constructor.trySetAccessible();
    }

    static <T> RowMapping<T> of(Class<T> type) {
        try {
            return new RowMapping<>(type);
        } catch (NoSuchMethodException e) {
            throw new FlightSqlException(
                    Kind.MAPPING, null, type.getName() + " is neither a record nor a bean with a constructor", e);
        }
    }

    private static String key(String name) {
        return name.replace("_", "").toLowerCase(Locale.ROOT);
    }

    T map(Row row) {
        try {
            if (type.isRecord()) {
                return constructor.newInstance(components(row));
            }
            T bean = constructor.newInstance();
            List<String> names = row.names();
            for (int i = 0; i < names.size(); i++) {
                Method setter = setters.get(key(names.get(i)));
                if (setter != null) {
                    setter.invoke(bean, value(row, i, setter.getParameterTypes()[0]));
                }
            }
            return bean;
        } catch (ReflectiveOperationException e) {
            throw new FlightSqlException(Kind.MAPPING, null, "cannot create " + type.getName() + " from a row", e);
        }
    }

    private @Nullable Object[] components(Row row) {
        List<String> keys = row.names().stream().map(RowMapping::key).toList();
        @Nullable Object[] values = new Object[components.size()];
        for (int i = 0; i < values.length; i++) {
            int column = keys.indexOf(key(components.get(i)));
            if (column < 0) {
                throw new FlightSqlException(
                        Kind.MAPPING,
                        null,
                        type.getSimpleName() + "." + components.get(i) + " has no column; there are " + row.names(),
                        null);
            }
            values[i] = value(row, column, componentTypes.get(i));
        }
        return values;
    }

    private static @Nullable Object value(Row row, int column, Class<?> type) {
        Object value = row.get(column, MethodType.methodType(type).wrap().returnType());
        if (value == null && type.isPrimitive()) {
            throw new FlightSqlException(
                    Kind.MAPPING,
                    null,
                    "column " + row.names().get(column) + " is null, and " + type + " is not",
                    null);
        }
        return value;
    }

    /** Converts a value to a type. Integers and decimals are converted if nothing is lost; floats are rounded. */
    static <V> @Nullable V convert(@Nullable Object value, Class<V> type, String column) {
        if (value == null || type.isInstance(value)) {
            return type.cast(value);
        }
        Object converted = null;
        try {
            if (value instanceof Number number && Number.class.isAssignableFrom(type)) {
                converted = number(number, type);
            } else if (type == String.class && !(value instanceof byte[])) {
                converted = value.toString();
            } else if (type.isEnum() && value instanceof String name) {
                converted = constant(type, name);
            } else if (type == java.util.UUID.class && value instanceof String text) {
                converted = java.util.UUID.fromString(text);
            }
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw mismatch(value, type, column, e);
        }
        if (converted == null) {
            throw mismatch(value, type, column, null);
        }
        return type.cast(converted);
    }

    private static @Nullable Object constant(Class<?> type, String name) {
        return Arrays.stream(type.getEnumConstants())
                .filter(one -> ((Enum<?>) one).name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable Object number(Number value, Class<?> type) {
        boolean floating = value instanceof Double || value instanceof Float;
        if (floating && type == Double.class) {
            return value.doubleValue();
        } else if (floating && type == Float.class) {
            return value.floatValue();
        }
        BigDecimal exact = new BigDecimal(value.toString());
        if (type == Long.class) {
            return exact.longValueExact();
        } else if (type == Integer.class) {
            return exact.intValueExact();
        } else if (type == Short.class) {
            return exact.shortValueExact();
        } else if (type == Byte.class) {
            return exact.byteValueExact();
        } else if (type == Double.class) {
            return exact.doubleValue();
        } else if (type == Float.class) {
            return exact.floatValue();
        } else if (type == BigInteger.class) {
            return exact.toBigIntegerExact();
        }
        return type == BigDecimal.class ? exact : null;
    }

    private static FlightSqlException mismatch(
            Object value, Class<?> type, String column, @Nullable RuntimeException cause) {
        return new FlightSqlException(
                Kind.MAPPING,
                null,
                "column " + column + " is a " + value.getClass().getSimpleName() + " and cannot be a "
                        + type.getSimpleName(),
                cause);
    }
}
