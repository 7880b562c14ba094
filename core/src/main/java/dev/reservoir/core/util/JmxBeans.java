package dev.reservoir.core.util;

import java.lang.management.ManagementFactory;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers objects in JMX, under {@code dev.reservoir}. If JMX rejects an object, nothing else is affected. Does not
 * block.
 */
public final class JmxBeans {
    private static final Logger log = LoggerFactory.getLogger(JmxBeans.class);
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]+");

    /** Bounds the search for a free number behind a name. */
    private static final int NUMBER_MAX = 1_000;

    private JmxBeans() {}

    /**
     * Registers a bean as {@code dev.reservoir:type=KIND,KEY=NAME}.
     *
     * @param type the interface of the bean, an MXBean
     * @param failed receives the reason if the bean cannot be registered, for example because the name is taken
     * @return the name of the registered bean, or null if it could not be registered
     */
    public static <B> @Nullable ObjectName register(
            B bean, Class<B> type, String kind, String key, String name, Consumer<Exception> failed) {
        return register(bean, type, kind, key, name, false, failed);
    }

    /** Does the same, and replaces a bean that is registered under this name. */
    public static <B> @Nullable ObjectName replace(
            B bean, Class<B> type, String kind, String key, String name, Consumer<Exception> failed) {
        return register(bean, type, kind, key, name, true, failed);
    }

    /** Does the same, and appends a number to the name if it is taken: {@code orders-2}. */
    public static <B> @Nullable ObjectName registerNumbered(
            B bean, Class<B> type, String kind, String key, String name, Consumer<Exception> failed) {
        String free = name;
        for (int number = 2; number <= NUMBER_MAX && isTaken(kind, key, free); number++) {
            free = name + "-" + number;
        }
        return register(bean, type, kind, key, free, false, failed);
    }

    private static boolean isTaken(String kind, String key, String name) {
        try {
            return ManagementFactory.getPlatformMBeanServer().isRegistered(where(kind, key, name));
        } catch (JMException | RuntimeException e) {
            return false;
        }
    }

    private static ObjectName where(String kind, String key, String name) throws JMException {
        String value = PLAIN.matcher(name).matches() ? name : ObjectName.quote(name);
        return new ObjectName("dev.reservoir:type=" + kind + "," + key + "=" + value);
    }

    private static <B> @Nullable ObjectName register(
            B bean, Class<B> type, String kind, String key, String name, boolean anew, Consumer<Exception> failed) {
        try {
            ObjectName where = where(kind, key, name);
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            if (anew && server.isRegistered(where)) {
                server.unregisterMBean(where);
            }
            server.registerMBean(new StandardMBean(bean, type, true), where);
            return where;
        } catch (JMException | RuntimeException e) {
            failed.accept(e);
            return null;
        }
    }

    /** Removes the bean. Does nothing if it was never registered. */
    public static void unregister(@Nullable ObjectName where) {
        if (where != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(where);
            } catch (JMException | RuntimeException e) {
                log.debug("Reservoir: JMX bean was gone  bean={} error=\"{}\"", where, Text.oneLine(e));
            }
        }
    }
}
