package dev.reservoir.spring.boot.settings;

import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import dev.reservoir.jdbc.config.SettingType.Methods;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes the metadata of all properties, in Spring Boot's format, from the tables of settings. */
final class ConfigurationMetadata {
    private final List<String> properties = new ArrayList<>();
    private final List<String> hints = new ArrayList<>();

    private ConfigurationMetadata() {}

    static String json() {
        ConfigurationMetadata metadata = new ConfigurationMetadata();
        ReservoirProperties.settings().forEach(metadata::add);
        metadata.property(
                PropertyNames.RESERVOIR + ReservoirProperties.DRIVER_PROPERTIES,
                "java.util.Map<java.lang.String,java.lang.String>",
                "Properties for the driver, by their own names.",
                null);
        for (DsqlProperty dsql : DsqlProperty.values()) {
            metadata.property(
                    dsql.property(),
                    dsql.type().getName(),
                    dsql.doc(),
                    dsql.byDefault().isEmpty() ? null : literal(dsql.type(), dsql.byDefault()));
        }
        return "{\n  \"groups\": [\n    {\"name\": \"spring.datasource.reservoir\"},\n"
                + "    {\"name\": \"spring.datasource.reservoir.dsql\"}\n  ],\n  \"properties\": [\n"
                + String.join(",\n", metadata.properties) + "\n  ],\n  \"hints\": [\n"
                + String.join(",\n", metadata.hints) + "\n  ]\n}\n";
    }

    private void add(Setting<?> setting) {
        String name = PropertyNames.of(setting.key());
        boolean isJmx = setting == DataSourceSettings.JMX;
        String byDefault = setting.hasDefault() && !isJmx ? setting.text(new Config()) : null;
        String meaning = isJmx ? setting.doc() + ". By default spring.jmx.enabled decides" : setting.doc();
        property(
                name,
                type(setting),
                sentence(meaning) + " Allowed: " + plain(setting.allowedInDocs()) + ".",
                byDefault == null || byDefault.equals("Infinity")
                        ? null
                        : literal(setting.type().value(), byDefault));
        Class<?> type = setting.type().value();
        if (type.isEnum()) {
            hints.add("    {\"name\": \"" + name + "\", \"values\": ["
                    + Arrays.stream(type.getEnumConstants())
                            .map(constant ->
                                    "{\"value\": \"" + constant.toString().toLowerCase(Locale.ROOT) + "\"}")
                            .collect(Collectors.joining(", "))
                    + "]}");
        } else if (setting.type().methods() == Methods.OBJECT_OR_CLASS_NAME) {
            hints.add("    {\"name\": \"" + name
                    + "\", \"providers\": [{\"name\": \"class-reference\", \"parameters\": {\"target\": \""
                    + type.getName() + "\"}}]}");
        }
    }

    /** Class names and isolations are texts. A choice is a text with hints, so that it is shown as it is written. */
    private static String type(Setting<?> setting) {
        Class<?> type = setting.type().value();
        return switch (setting.type().methods()) {
            case TEXT, OBJECT_OR_CLASS_NAME -> String.class.getName();
            case CLASS_NAMES -> "java.util.List<java.lang.String>";
            default -> type.isEnum() ? String.class.getName() : type.getName();
        };
    }

    private static String literal(Class<?> type, String value) {
        boolean isBare = Number.class.isAssignableFrom(type) || type == Boolean.class;
        return isBare ? value : quoted(type.isEnum() ? value.toLowerCase(Locale.ROOT) : value);
    }

    private void property(String name, String type, String description, String byDefault) {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("name", quoted(name));
        parts.put("type", quoted(type));
        parts.put("description", quoted(description));
        if (byDefault != null) {
            parts.put("defaultValue", byDefault);
        }
        properties.add(parts.entrySet().stream()
                .map(part -> "      \"" + part.getKey() + "\": " + part.getValue())
                .collect(Collectors.joining(",\n", "    {\n", "\n    }")));
    }

    private static String sentence(String markdown) {
        String plain = plain(markdown);
        return plain.substring(0, 1).toUpperCase(Locale.ROOT) + plain.substring(1) + ".";
    }

    private static String plain(String markdown) {
        return markdown.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replace("`", "");
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
