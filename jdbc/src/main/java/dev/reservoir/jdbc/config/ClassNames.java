package dev.reservoir.jdbc.config;

import dev.reservoir.core.SettingException;
import java.lang.reflect.InvocationTargetException;
import org.jspecify.annotations.Nullable;

/**
 * Creates objects of classes that settings name. Looks in the class loader of the application first, then in its own.
 */
final class ClassNames {
    private ClassNames() {}

    /**
     * Creates an object of this class.
     *
     * @throws SettingException if that is not possible
     */
    static <T> T instance(String key, String className, Class<T> type) {
        String name = className.strip();
        ReflectiveOperationException failure = null;
        ClassLoader[] loaders = {Thread.currentThread().getContextClassLoader(), ClassNames.class.getClassLoader()};
        for (ClassLoader loader : loaders) {
            try {
                Object made = Class.forName(name, true, loader).getConstructor().newInstance();
                if (type.isInstance(made)) {
                    return type.cast(made);
                }
            } catch (InvocationTargetException e) {
                throw new SettingException(
                        key, name, "a class whose constructor does not fail (" + e.getCause() + ")", e.getCause());
            } catch (ReflectiveOperationException e) {
                failure = e;
            } catch (LinkageError e) {
                throw refused(key, name, type, e);
            }
        }
        throw refused(key, name, type, failure);
    }

    private static SettingException refused(String key, String className, Class<?> type, @Nullable Throwable cause) {
        String why = cause == null ? "" : " (" + cause + ")";
        return new SettingException(
                key,
                className,
                "a public class on the class path that is a " + type.getName()
                        + " and has a public constructor without parameters" + why,
                cause);
    }
}
