package dev.reservoir.spring.boot.autoconfigure;

import dev.reservoir.jdbc.ReservoirDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * What a native image needs beyond the metadata that the other modules carry: Spring Boot sets properties of a data
 * source by its setters if an application names the class in {@code spring.datasource.type}, or binds it as a bean.
 */
final class ReservoirRuntimeHints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.reflection()
                .registerType(
                        ReservoirDataSource.class,
                        MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS,
                        MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
