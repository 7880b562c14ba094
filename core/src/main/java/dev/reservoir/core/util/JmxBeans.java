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

/** Shows objects in JMX, below {@code dev.reservoir}. A JMX that does not want one stops nothing. Does not block. */
public final class JmxBeans {
    private static final Logger log = LoggerFactory.getLogger(JmxBeans.class);
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]+");

    private static final int NUMBER_MAX = 1_000;

    private JmxBeans() {}

    /**
     * Shows a bean as {@code dev.reservoir:type=KIND,KEY=NAME}.
     *
     * @param type the interface of the bean, an MXBean
     * @param failed hears why it could not be shown; that one of this name is there is a reason
     * @return where it is shown, or null if it is not
     */
    public static <B> @Nullable ObjectName register(
            B bean, Class<B> type, String kind, String key, String name, Consumer<Exception> failed) {
        return register(bean, type, kind, key, name, false, failed);
    }

    /** The same, in place of one that may be there by this name. */
    public static <B> @Nullable ObjectName replace(
            B bean, Class<B> type, String kind, String key, String name, Consumer<Exception> failed) {
        return register(bean, type, kind, key, name, true, failed);
    }

    /** The same, with a number behind the name if one of this name is there: {@code orders-2}. */
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

    /** Shows it no longer. Does nothing if it was never shown. */
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
