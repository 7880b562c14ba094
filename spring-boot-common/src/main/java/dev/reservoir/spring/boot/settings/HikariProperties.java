package dev.reservoir.spring.boot.settings;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.Settings;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import dev.reservoir.spring.boot.settings.HikariProperty.Kind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;

/**
 * Takes over the properties that an application set for HikariCP, and logs for each of them which property replaces it.
 * A property that means nothing here is a warning. Never shows a value that may hold a secret.
 */
final class HikariProperties {
    private static final Logger log = LoggerFactory.getLogger(HikariProperties.class);
    private static final Bindable<Map<String, String>> TEXTS = Bindable.mapOf(String.class, String.class);

    /** HikariCP's default: the start tries once. It asks for nothing special. */
    private static final long FAIL_TIMEOUT_DEFAULT = 1;

    /** HikariCP's default of the maximum, which limits minimum-idle if no maximum is set. */
    private static final String MAXIMUM_POOL_SIZE_DEFAULT = "10";

    /** The parts of a longest lifetime: base plus half of the jitter gives 15 again. */
    private static final int PARTS = 15;

    private static final int BASE_PARTS = 14;
    private static final int JITTER_PARTS = 2;

    /** The part of a lifetime that the guard window may take, so that a short lifetime is still mostly usable. */
    private static final int GUARD_WINDOW_PART = 10;

    /** What stands for HikariCP's endless lifetime and endless wait. Just below the year that is allowed. */
    private static final Duration ENDLESS = Duration.ofDays(364);

    private final Binder binder;
    private final Set<HikariProperty> present = EnumSet.noneOf(HikariProperty.class);
    private boolean searched;

    HikariProperties(Binder binder) {
        this.binder = binder;
    }

    /** Adds the settings of HikariCP's properties to those that were given. The latter stay as they are. */
    void takeOver(Map<String, GivenSetting> given) {
        for (HikariProperty property : present()) {
            if (property.kind() == Kind.NONE) {
                log.info("Reservoir: {} is ignored: {}", property.property(), property.advice());
            } else if (property.kind() != Kind.LOGIN) {
                settings(property).forEach((setting, text) -> add(given, setting, text, property.property()));
            }
        }
        limitReady(given);
    }

    /**
     * HikariCP uses its maximum if minimum-idle is above it, and so do we. Texts that are no numbers stay, for the
     * check.
     */
    private static void limitReady(Map<String, GivenSetting> given) {
        String key = DataSourceSettings.TARGET_READY.key();
        GivenSetting ready = given.get(key);
        GivenSetting max = given.get(DataSourceSettings.MAX_OPEN.key());
        if (ready == null || !ready.property().equals(HikariProperty.MINIMUM_IDLE.property())) {
            return;
        }
        String maxText = max == null ? MAXIMUM_POOL_SIZE_DEFAULT : max.text().strip();
        if (isAbove(ready.text().strip(), maxText)) {
            given.put(key, new GivenSetting(maxText, ready.property()));
            log.info(
                    "Reservoir: {}={} is more than the maximum, so {}={} is used",
                    ready.property(),
                    ready.text(),
                    PropertyNames.of(key),
                    maxText);
        }
    }

    private static boolean isAbove(String text, String other) {
        try {
            return Integer.parseInt(text) > Integer.parseInt(other);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static void add(Map<String, GivenSetting> given, Setting<?> setting, String text, String property) {
        String key = setting.key();
        if (given.putIfAbsent(key, new GivenSetting(text, property)) == null) {
            log.info(
                    "Reservoir: {} is used as {}{}; rename it",
                    property,
                    PropertyNames.of(key),
                    isHarmless(setting) ? "=" + text : "");
        } else {
            log.info("Reservoir: {} is ignored, because {} is set", property, PropertyNames.of(key));
        }
    }

    /** Texts such as SQL may hold a secret. */
    private static boolean isHarmless(Setting<?> setting) {
        return setting.type().value() != String.class && !setting.isHidden();
    }

    private Map<Setting<?>, String> settings(HikariProperty property) {
        Map<Setting<?>, String> settings = new LinkedHashMap<>();
        switch (property.kind()) {
            case MILLIS ->
                settings.put(property.setting(), DurationText.format(Duration.ofMillis(millis(property, 0))));
            case WAIT_MILLIS ->
                settings.put(property.setting(), DurationText.format(endlessIfZero(millis(property, 0))));
            case MAX_LIFETIME -> putLifetime(settings, millis(property, 0));
            case FAIL_TIMEOUT -> putFailTimeout(settings, millis(property, Long.MIN_VALUE));
            default -> settings.put(property.setting(), text(property));
        }
        return settings;
    }

    private static Duration endlessIfZero(long millis) {
        return millis == 0 ? ENDLESS : Duration.ofMillis(millis);
    }

    private static void putLifetime(Map<Setting<?>, String> settings, long millis) {
        Duration longest = endlessIfZero(millis);
        Duration part = longest.dividedBy(PARTS);
        settings.put(DataSourceSettings.BASE_LIFETIME, DurationText.format(part.multipliedBy(BASE_PARTS)));
        settings.put(DataSourceSettings.LIFETIME_JITTER, DurationText.format(part.multipliedBy(JITTER_PARTS)));
        Duration guard = longest.dividedBy(GUARD_WINDOW_PART);
        if (guard.compareTo(Duration.ofNanos(Settings.defaults().guardWindowNanos())) < 0) {
            settings.put(DataSourceSettings.GUARD_WINDOW, DurationText.format(guard));
        }
    }

    private static void putFailTimeout(Map<Setting<?>, String> settings, long millis) {
        if (millis < 0) {
            settings.put(DataSourceSettings.FAIL_FAST, "false");
            settings.put(DataSourceSettings.INITIAL_FILL_TIMEOUT, "0s");
        } else if (millis > FAIL_TIMEOUT_DEFAULT) {
            settings.put(DataSourceSettings.INITIAL_FILL_TIMEOUT, DurationText.format(Duration.ofMillis(millis)));
        }
    }

    /** The login, by the key of the setting. */
    Map<String, String> login() {
        Map<String, String> login = new LinkedHashMap<>();
        for (HikariProperty property : present()) {
            if (property.kind() == Kind.LOGIN) {
                String key = property.setting().key();
                login.put(key, text(property));
                log.info(
                        "Reservoir: {} is used as {}; rename it",
                        property.property(),
                        PropertyNames.DATA_SOURCE + PropertyNames.kebab(key));
            }
        }
        return login;
    }

    /** Whether HikariCP was told the class of a data source, which it prefers to a URL. */
    boolean hasDataSourceClass() {
        return present().contains(HikariProperty.DATA_SOURCE_CLASS_NAME);
    }

    /** Properties of the driver. */
    Map<String, String> driverProperties() {
        Map<String, String> texts = binder.bind(PropertyNames.HIKARI + HikariProperty.DRIVER_PROPERTIES, TEXTS)
                .orElse(Map.of());
        texts.keySet()
                .forEach(key -> log.info(
                        "Reservoir: {}{}.{} is used as {}{}.{}; rename it",
                        PropertyNames.HIKARI,
                        HikariProperty.DRIVER_PROPERTIES,
                        key,
                        PropertyNames.RESERVOIR,
                        ReservoirProperties.DRIVER_PROPERTIES,
                        key));
        return texts;
    }

    /** The properties that were set. Warns of those that HikariCP does not have, the first time. */
    private Set<HikariProperty> present() {
        if (!searched) {
            searched = true;
            Map<String, String> texts = binder.bind(
                            PropertyNames.HIKARI.substring(0, PropertyNames.HIKARI.length() - 1), TEXTS)
                    .orElse(Map.of());
            texts.keySet().forEach(this::find);
            // A blank class means none, as that of our own property does.
            present.removeIf(property -> property == HikariProperty.DATA_SOURCE_CLASS_NAME
                    && text(property).isBlank());
        }
        return present;
    }

    private void find(String name) {
        if (!PropertyNames.isBelow(name, HikariProperty.DRIVER_PROPERTIES)) {
            HikariProperty.find(name)
                    .ifPresentOrElse(
                            present::add,
                            () -> log.warn("Reservoir: {}{} is ignored: it is unknown", PropertyNames.HIKARI, name));
        }
    }

    private String text(HikariProperty property) {
        return binder.bind(property.property(), String.class).orElse("");
    }

    private long millis(HikariProperty property, long least) {
        String text = text(property);
        String allowed = "a number of milliseconds" + (least == 0 ? ", 0 or more" : "");
        try {
            long millis = Long.parseLong(text.strip());
            if (millis >= least) {
                return millis;
            }
        } catch (NumberFormatException e) {
            throw new SettingException(property.property(), "\"" + text + "\"", allowed, e);
        }
        throw SettingException.unreadable(property.property(), text, allowed);
    }
}
