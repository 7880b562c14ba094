package dev.reservoir.spring.boot.settings;

import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** HikariCP's properties of Spring Boot, and the setting that each of them becomes. */
enum HikariProperty {
    POOL_NAME(Kind.SAME, DataSourceSettings.NAME),
    MAXIMUM_POOL_SIZE(Kind.SAME, DataSourceSettings.MAX_OPEN),
    MINIMUM_IDLE(Kind.SAME, DataSourceSettings.TARGET_READY),
    CONNECTION_TIMEOUT(Kind.WAIT_MILLIS, DataSourceSettings.ACQUIRE_TIMEOUT),
    MAX_LIFETIME(Kind.MAX_LIFETIME, DataSourceSettings.BASE_LIFETIME),
    IDLE_TIMEOUT(Kind.MILLIS, DataSourceSettings.IDLE_TIMEOUT),
    KEEPALIVE_TIME(Kind.MILLIS, DataSourceSettings.KEEPALIVE),
    VALIDATION_TIMEOUT(Kind.MILLIS, DataSourceSettings.VALIDATION_TIMEOUT),
    LEAK_DETECTION_THRESHOLD(Kind.MILLIS, DataSourceSettings.LEAK_DETECTION_THRESHOLD),
    INITIALIZATION_FAIL_TIMEOUT(Kind.FAIL_TIMEOUT, DataSourceSettings.FAIL_FAST),
    CONNECTION_TEST_QUERY(Kind.SAME, DataSourceSettings.VALIDATION_QUERY),
    CONNECTION_INIT_SQL(Kind.SAME, DataSourceSettings.CONNECTION_INIT_SQL),
    AUTO_COMMIT(Kind.SAME, DataSourceSettings.AUTO_COMMIT),
    READ_ONLY(Kind.SAME, DataSourceSettings.READ_ONLY),
    TRANSACTION_ISOLATION(Kind.SAME, DataSourceSettings.TRANSACTION_ISOLATION),
    CATALOG(Kind.SAME, DataSourceSettings.CATALOG),
    SCHEMA(Kind.SAME, DataSourceSettings.SCHEMA),
    REGISTER_MBEANS(Kind.SAME, DataSourceSettings.JMX),
    DATA_SOURCE_CLASS_NAME(Kind.SAME, DataSourceSettings.DATA_SOURCE_CLASS_NAME),
    JDBC_URL(Kind.LOGIN, DataSourceSettings.URL),
    USERNAME(Kind.LOGIN, DataSourceSettings.USERNAME),
    PASSWORD(Kind.LOGIN, DataSourceSettings.PASSWORD),
    DRIVER_CLASS_NAME(Kind.LOGIN, DataSourceSettings.DRIVER_CLASS_NAME),
    ALLOW_POOL_SUSPENSION("a reservoir can always be paused"),
    ISOLATE_INTERNAL_QUERIES("validations never take part in a transaction"),
    EXCEPTION_OVERRIDE_CLASS_NAME("name a dev.reservoir.jdbc.ErrorRule in " + PropertyNames.RESERVOIR + "error-rule"),
    CREDENTIALS_PROVIDER_CLASS_NAME(
            "name a dev.reservoir.core.spi.Credentials in " + PropertyNames.RESERVOIR + "credentials"),
    DATA_SOURCE_JNDI("use spring.datasource.jndi-name"),
    METRICS_TRACKER_FACTORY_CLASS_NAME("meters are bound if Micrometer is present"),
    HEALTH_CHECK_PROPERTIES("Spring Boot's actuator shows the health");

    /** What a property's value becomes. */
    enum Kind {
        /** The same text. */
        SAME,
        /** A number of milliseconds, which becomes a duration. */
        MILLIS,
        /** A number of milliseconds to wait at most, of which 0 means without limit. */
        WAIT_MILLIS,
        /** The longest lifetime, of which a part becomes jitter. */
        MAX_LIFETIME,
        /** How long the start may take, and whether it may fail. */
        FAIL_TIMEOUT,
        /** A part of the login, which Spring Boot's own properties have, too. */
        LOGIN,
        /** Nothing; a log line says why. */
        NONE
    }

    /** Begins the names of the driver's own properties. */
    static final String DRIVER_PROPERTIES = "data-source-properties";

    private final Kind kind;
    private final String settingKey;
    private final String advice;

    HikariProperty(Kind kind, Setting<?> setting) {
        this.kind = kind;
        this.settingKey = setting.key();
        this.advice = "";
    }

    HikariProperty(String advice) {
        this.kind = Kind.NONE;
        this.settingKey = "";
        this.advice = advice;
    }

    Kind kind() {
        return kind;
    }

    /** The setting that it becomes. Only for a property that becomes one. */
    Setting<?> setting() {
        Setting<?> setting = DataSourceSettings.byKey().get(settingKey);
        if (setting == null) {
            throw new IllegalStateException("bug: " + this + " becomes no setting");
        }
        return setting;
    }

    /** The reason why it becomes nothing. */
    String advice() {
        return advice;
    }

    /** The full name, such as {@code spring.datasource.hikari.maximum-pool-size}. */
    String property() {
        return PropertyNames.HIKARI + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Finds a property by the part of its name after the prefix, however it is written. */
    static Optional<HikariProperty> find(String name) {
        String wanted = PropertyNames.uniform(name);
        return Arrays.stream(values())
                .filter(one -> PropertyNames.uniform(one.name()).equals(wanted)
                        || (one == HEALTH_CHECK_PROPERTIES && wanted.startsWith("healthcheckproperties")))
                .findFirst();
    }
}
