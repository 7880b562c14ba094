package dev.reservoir.spring.boot.source;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.DsqlDataSourceBuilder;
import dev.reservoir.spring.boot.ReservoirDataSourceCustomizer;
import dev.reservoir.spring.boot.failure.UsedLogin;
import dev.reservoir.spring.boot.settings.DsqlProperty;
import dev.reservoir.spring.boot.settings.ReservoirSettings;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** Starts the data source of an application on Aurora DSQL. Blocks as {@link DataSourceStarter} does. */
public final class DsqlDataSourceStarter {
    private final DataSourceStarter starter;
    private final Binder binder;

    /**
     * Starts a bean of this factory. Reads properties from this environment, and applies these customizers after them.
     */
    public DsqlDataSourceStarter(
            BeanFactory beans, Environment environment, ObjectProvider<ReservoirDataSourceCustomizer> customizers) {
        this.starter = new DataSourceStarter(beans, environment, customizers);
        this.binder = Binder.get(environment);
    }

    /** Starts a data source. With credentials, it signs tokens with these unless a profile is named. */
    public DsqlDataSource start(ObjectProvider<AwsCredentialsProvider> credentials) {
        ReservoirSettings settings = starter.settings();
        DsqlDataSourceBuilder builder = DsqlDataSource.builder().name(settings.name());
        set(DsqlProperty.ENDPOINT, builder::endpoint);
        set(DsqlProperty.REGION, builder::region);
        set(DsqlProperty.USER, builder::user);
        set(
                DsqlProperty.TOKEN_DURATION,
                text -> builder.tokenDuration(DurationText.parse(DsqlProperty.TOKEN_DURATION.property(), text)));
        set(DsqlProperty.ROOT_CERTIFICATE, text -> builder.rootCertificate(Path.of(text)));
        set(DsqlProperty.PROFILE, builder::profile);
        if (text(DsqlProperty.PROFILE).isBlank()) {
            credentials.ifUnique(builder::credentialsProvider);
        }
        builder.reservoir(reservoir -> starter.configure(reservoir, settings));
        String user = text(DsqlProperty.USER);
        UsedLogin login =
                new UsedLogin(text(DsqlProperty.ENDPOINT), user.isBlank() ? DsqlProperty.USER.byDefault() : user);
        return starter.connected(settings.name(), login, () -> built(builder, settings));
    }

    /** Names a mistake that only shows when all settings are together by its property. */
    private static DsqlDataSource built(DsqlDataSourceBuilder builder, ReservoirSettings settings) {
        try {
            return builder.build();
        } catch (SettingException e) {
            throw switch (e.key()) {
                case "endpoint" -> e.named(DsqlProperty.ENDPOINT.property());
                case "region" -> e.named(DsqlProperty.REGION.property());
                case "name" -> e.named(settings.nameProperty());
                default -> e;
            };
        }
    }

    private String text(DsqlProperty property) {
        return binder.bind(property.property(), String.class).orElse("");
    }

    private void set(DsqlProperty property, Consumer<String> setter) {
        String text = text(property);
        if (!text.isBlank()) {
            try {
                setter.accept(text);
            } catch (SettingException e) {
                throw e.named(property.property());
            }
        }
    }
}
