package dev.reservoir.spring.boot.settings;

import java.util.Locale;

/** The names of properties, and how Spring Boot compares them. */
public final class PropertyNames {
    /** Begins the name of every property of Spring Boot's own data source. */
    public static final String DATA_SOURCE = "spring.datasource.";

    /** Begins the name of every property of a reservoir. */
    public static final String RESERVOIR = DATA_SOURCE + "reservoir.";

    static final String HIKARI = DATA_SOURCE + "hikari.";

    private PropertyNames() {}

    /** The property of a setting, such as {@code spring.datasource.reservoir.max-open} for {@code maxOpen}. */
    public static String of(String settingKey) {
        return RESERVOIR + kebab(settingKey);
    }

    /** The property of any setting. Those of the login are Spring Boot's own, such as {@code spring.datasource.url}. */
    public static String ofAny(String settingKey) {
        boolean isOfSpringBoot = ReservoirProperties.OF_SPRING_BOOT.stream()
                .anyMatch(setting -> setting.key().equals(settingKey));
        return isOfSpringBoot ? DATA_SOURCE + kebab(settingKey) : of(settingKey);
    }

    /** Writes a key as Spring Boot does: {@code max-open} for {@code maxOpen}. */
    static String kebab(String key) {
        return key.replaceAll("(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    /** Whether a name is that of an entry below another one, such as {@code driver-properties.ApplicationName}. */
    static boolean isBelow(String name, String parent) {
        int dot = name.indexOf('.');
        return dot > 0 && uniform(name.substring(0, dot)).equals(uniform(parent));
    }

    /**
     * The part of a name that Spring Boot compares: {@code maxOpen}, {@code max-open}, {@code MAX_OPEN} and an
     * environment variable mean the same. The place in a list does not count.
     */
    static String uniform(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("(\\[\\d+]|\\.\\d+)$|[^a-z0-9]", "");
    }
}
