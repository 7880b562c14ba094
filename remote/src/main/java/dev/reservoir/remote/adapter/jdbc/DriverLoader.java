package dev.reservoir.remote.adapter.jdbc;

import java.sql.Driver;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds JDBC drivers by the name of their class, so that Reservoir needs none of them to compile or to start. */
final class DriverLoader {
    private DriverLoader() {}

    /**
     * Looks among the registered drivers, then on the class path of the calling thread, then on Reservoir's own.
     * Returns null if there is no such driver.
     */
    static @Nullable Driver find(String className) {
        Optional<Driver> registered = DriverManager.drivers()
                .filter(driver -> driver.getClass().getName().equals(className))
                .findFirst();
        if (registered.isPresent()) {
            return registered.get();
        }
        for (ClassLoader loader : loaders()) {
            Driver driver = load(className, loader);
            if (driver != null) {
                return driver;
            }
        }
        return null;
    }

    private static @Nullable Driver load(String className, ClassLoader loader) {
        try {
            Class<?> type = Class.forName(className, true, loader);
            return (Driver) type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
            return null;
        }
    }

    private static List<ClassLoader> loaders() {
        List<ClassLoader> loaders = new ArrayList<>();
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        if (ofThread != null) {
            loaders.add(ofThread);
        }
        ClassLoader own = DriverLoader.class.getClassLoader();
        if (own != null && own != ofThread) {
            loaders.add(own);
        }
        return loaders;
    }
}
