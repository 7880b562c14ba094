package dev.reservoir.jdbc;

import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import dev.reservoir.jdbc.log.Secrets;
import dev.reservoir.jdbc.pool.DataSourceRegistry;
import dev.reservoir.jdbc.pool.RunningDataSource;
import java.util.Enumeration;
import java.util.Hashtable;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import javax.naming.Context;
import javax.naming.Name;
import javax.naming.NamingException;
import javax.naming.RefAddr;
import javax.naming.Reference;
import javax.naming.StringRefAddr;
import javax.naming.spi.ObjectFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes data sources for JNDI from references. The addresses of a reference are settings, with the keys of
 * {@link ReservoirDataSource#fromProperties}. The data source starts with its first connection. Never starts one
 * itself.
 *
 * <p>A reference with a name gives the same data source at each look-up, until that is closed. If a data source with
 * that name and the same settings runs in this process, the reference gives that one, no matter how it was made. The
 * name that counts is the one that was set, even if the data source runs under a name with a number. If a data source
 * of that name runs with other settings, the reference gives another data source. That one gets a number when it
 * starts.
 *
 * <p>The comparison ignores the targets ({@code maxOpen}, {@code targetReady}, {@code lowWatermark}, {@code minOpen}),
 * because they may have changed since the start, and leaves them as they are. Any other setting that can change, such
 * as the password, may match its value at the start or its value now.
 *
 * <p>A reference without a name gives a new data source at each look-up.
 */
public final class ReservoirDataSourceFactory implements ObjectFactory {
    /** Keys that containers add for their own use. */
    private static final Set<String> OF_CONTAINERS = Set.of(
            "factory", "scope", "auth", "type", "singleton", "description", "closeMethod", "forceString", "jndiName");

    /** Settings whose default depends on another setting. */
    private static final Set<Setting<?>> DEPENDENT = Set.of(
            DataSourceSettings.TARGET_READY,
            DataSourceSettings.LOW_WATERMARK,
            DataSourceSettings.MIN_OPEN,
            DataSourceSettings.CONNECTION_RATE_LIMIT);

    /** The data sources that were looked up and not closed, by their compared settings. */
    private static final Map<Map<String, String>, ReservoirDataSource> NAMED = new ConcurrentHashMap<>();

    /** For JNDI. */
    public ReservoirDataSourceFactory() {}

    /** Returns null for a reference to something else. Does not block. */
    @Override
    public @Nullable Object getObjectInstance(
            @Nullable Object object,
            @Nullable Name name,
            @Nullable Context context,
            @Nullable Hashtable<?, ?> environment) {
        if (!(object instanceof Reference reference) || !isOurs(reference.getClassName())) {
            return null;
        }
        ReservoirDataSource made = made(settings(reference));
        String reservoirName = made.getName();
        Map<String, String> compared = compared(made.config);
        if (reservoirName == null || compared == null) {
            return made;
        }
        for (RunningDataSource running : DataSourceRegistry.findAll(reservoirName)) {
            if (isSame(running, compared)) {
                return running.dataSource();
            }
        }
        NAMED.values().removeIf(ReservoirDataSource::isClosed);
        return NAMED.computeIfAbsent(compared, settings -> made);
    }

    /** A setting that can change while the data source runs may match its value at the start or its value now. */
    private static boolean isSame(RunningDataSource running, Map<String, String> compared) {
        ReservoirDataSource dataSource = running.dataSource();
        return !dataSource.isClosed()
                && (compared.equals(running.comparedAtStart()) || compared.equals(compared(dataSource.config)));
    }

    /**
     * Returns the settings without the targets, each in its one canonical text, or null if some setting is not text.
     * Does not block.
     */
    static @Nullable Map<String, String> compared(Config config) {
        try {
            Map<String, String> settings = settings(reference(config));
            DataSourceSettings.TARGETS.forEach(target -> settings.remove(target.key()));
            return settings;
        } catch (NamingException e) {
            return null;
        }
    }

    private static boolean isOurs(String className) {
        return className.equals("javax.sql.DataSource") || className.equals(ReservoirDataSource.class.getName());
    }

    private static Map<String, String> settings(Reference reference) {
        Map<String, String> settings = new TreeMap<>();
        Enumeration<RefAddr> addresses = reference.getAll();
        while (addresses.hasMoreElements()) {
            RefAddr address = addresses.nextElement();
            Object content = address.getContent();
            if (content != null && !OF_CONTAINERS.contains(address.getType())) {
                settings.put(address.getType(), content.toString());
            }
        }
        return settings;
    }

    private static ReservoirDataSource made(Map<String, String> settings) {
        ReservoirDataSource dataSource = new ReservoirDataSource();
        settings.forEach(dataSource.config::setText);
        return dataSource;
    }

    /**
     * Returns a reference that holds every setting that differs from its default. A default that depends on another
     * setting may be another one later, so such a setting is held in any case.
     */
    static Reference reference(Config config) throws NamingException {
        Reference reference =
                new Reference(ReservoirDataSource.class.getName(), ReservoirDataSourceFactory.class.getName(), null);
        Config defaults = new Config();
        for (Setting<?> setting : DataSourceSettings.all()) {
            if (setting != DataSourceSettings.DRIVER_PROPERTIES && config.given(setting) != null) {
                String value = setting.text(config);
                if (value == null) {
                    throw notText(setting);
                }
                if (DEPENDENT.contains(setting) || !value.equals(setting.text(defaults))) {
                    reference.add(address(setting, value));
                }
            }
        }
        config.driverProperties()
                .forEach((key, value) ->
                        reference.add(new HiddenRefAddr(DataSourceSettings.DRIVER_PREFIX + key, value)));
        if (!config.listeners.isEmpty()) {
            throw notText(DataSourceSettings.LISTENER);
        }
        return reference;
    }

    private static StringRefAddr address(Setting<?> setting, String value) {
        return setting.isHidden() ? new HiddenRefAddr(setting.key(), value) : new StringRefAddr(setting.key(), value);
    }

    private static NamingException notText(Setting<?> setting) {
        return new NamingException("a data source can be referenced only if all its settings are text, but " + setting
                + " was given as an object" + (setting.isText() ? "; give it by the name of its class" : ""));
    }

    /** An address that holds a secret, or may hold one. Never shows its content. */
    private static final class HiddenRefAddr extends StringRefAddr {
        private static final long serialVersionUID = 1L;

        HiddenRefAddr(String key, String value) {
            super(key, value);
        }

        @Override
        public String toString() {
            return "Type: " + addrType + "\nContent: " + Secrets.HIDDEN + "\n";
        }
    }
}
