package dev.reservoir.spring.boot.failure;

import dev.reservoir.core.SettingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Explains a rejected setting: its property, its value, where it was set, and what is allowed. */
public final class SettingFailureAnalyzer extends AbstractFailureAnalyzer<SettingException> {
    private final Environment environment;

    /** Spring Boot calls this constructor. */
    public SettingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SettingException cause) {
        String origin = origin(cause.key());
        String description = "A setting of Reservoir was rejected:\n\n    Property: " + cause.key() + "\n    Value: "
                + (cause.value() == null ? "missing" : cause.value())
                + (origin == null ? "" : "\n    Origin: " + origin) + "\n    Allowed: " + cause.allowed();
        return new FailureAnalysis(description, "Change " + cause.key() + " to what is allowed.", cause);
    }

    private @Nullable String origin(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
        if (name == null) {
            return null;
        }
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null && found.getOrigin() != null) {
                return found.getOrigin().toString();
            }
        }
        return null;
    }
}
