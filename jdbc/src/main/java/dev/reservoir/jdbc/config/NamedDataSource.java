package dev.reservoir.jdbc.config;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.core.util.NearestName;
import dev.reservoir.jdbc.log.Secrets;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.sql.DataSource;

/**
 * Creates a data source of a driver from the name of its class, and sets its properties through its setters. Never
 * connects.
 */
public final class NamedDataSource {
    /**
     * The types that a text can be converted to. If several setters have one name, the first type in this list decides.
     */
    private static final List<Class<?>> TYPES = List.of(
            String.class,
            int.class,
            long.class,
            boolean.class,
            short.class,
            double.class,
            char[].class,
            Integer.class,
            Long.class,
            Boolean.class,
            Short.class,
            Double.class);

    private NamedDataSource() {}

    public static DataSource make(String className, Map<String, String> properties) {
        DataSource made = ClassNames.instance("dataSourceClassName", className, DataSource.class);
        properties.forEach((key, value) -> set(made, key, value));
        return made;
    }

    private static void set(DataSource target, String key, String text) {
        Method setter = setter(target.getClass(), key);
        Object value = converted(key, setter.getParameterTypes()[0], text);
        try {
            setter.invoke(target, value);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(DataSourceSettings.DRIVER_PREFIX + key + " was refused by "
                    + target.getClass().getName() + ": " + Secrets.mask(String.valueOf(e.getCause()), text));
        } catch (IllegalAccessException e) {
            throw new SettingException(
                    DataSourceSettings.DRIVER_PREFIX + key,
                    "not accessible",
                    "only if " + target.getClass().getName() + " is public and its package exported",
                    e);
        }
    }

    private static Method setter(Class<?> type, String key) {
        List<Method> named = new ArrayList<>();
        TreeSet<String> known = new TreeSet<>();
        for (Method method : type.getMethods()) {
            if (method.getName().startsWith("set") && method.getParameterCount() == 1) {
                String property = method.getName().substring("set".length());
                if (property.equalsIgnoreCase(key)) {
                    named.add(method);
                }
                known.add(decapitalized(property));
            }
        }
        if (named.isEmpty()) {
            throw new IllegalArgumentException(DataSourceSettings.DRIVER_PREFIX + key + " is not a property of "
                    + type.getName() + "; the nearest that is: " + DataSourceSettings.DRIVER_PREFIX
                    + NearestName.of(key, known));
        }
        return named.stream()
                .filter(method -> TYPES.contains(method.getParameterTypes()[0]))
                .min(Comparator.comparingInt(method -> TYPES.indexOf(method.getParameterTypes()[0])))
                .orElseThrow(() -> new SettingException(
                        DataSourceSettings.DRIVER_PREFIX + key,
                        "a " + named.get(0).getParameterTypes()[0].getName(),
                        "properties that are text, numbers, or true or false"));
    }

    private static String decapitalized(String property) {
        return property.isEmpty() ? property : Character.toLowerCase(property.charAt(0)) + property.substring(1);
    }

    private static Object converted(String key, Class<?> type, String text) {
        if (type == String.class) {
            return text;
        }
        if (type == char[].class) {
            return text.toCharArray();
        }
        String givenAs = DataSourceSettings.DRIVER_PREFIX + key;
        if (type == boolean.class || type == Boolean.class) {
            Boolean value = BooleanParser.parse(text);
            if (value == null) {
                throw SettingException.unreadable(givenAs, text, "true or false");
            }
            return value;
        }
        try {
            return number(type, text.strip());
        } catch (NumberFormatException e) {
            boolean isWhole = type != double.class && type != Double.class;
            throw SettingException.unreadable(givenAs, text, isWhole ? "a whole number" : "a number");
        }
    }

    private static Object number(Class<?> type, String text) {
        if (type == int.class || type == Integer.class) {
            return Integer.valueOf(text);
        }
        if (type == long.class || type == Long.class) {
            return Long.valueOf(text);
        }
        return type == short.class || type == Short.class ? (Object) Short.valueOf(text) : Double.valueOf(text);
    }
}
