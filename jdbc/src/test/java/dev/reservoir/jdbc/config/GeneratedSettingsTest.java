package dev.reservoir.jdbc.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The methods of builder, bean and JMX, and the tables of the documentation, say what {@link DataSourceSettings} says.
 * After a change of the table, write them again:
 *
 * <pre>
 * mvn -pl jdbc -am test -Dtest=GeneratedSettingsTest -Dsurefire.failIfNoSpecifiedTests=false -Dregenerate
 * </pre>
 *
 * <p>Before a setting is removed from the table, its methods must be removed by hand, or the table does not compile.
 */
class GeneratedSettingsTest {
    private static final Path SOURCES = Path.of("src", "main", "generated", "dev", "reservoir", "jdbc");

    private static final Map<Path, UnaryOperator<String>> FILES = Map.of(
            SOURCES.resolve("SettingsBuilder.java"), before -> SettingSources.builder(),
            SOURCES.resolve("DataSourceBean.java"), before -> SettingSources.bean(),
            SOURCES.resolve("LiveSettings.java"), before -> SettingSources.liveSettings(),
            SOURCES.resolve("pool").resolve("LiveSettingsJmx.java"), before -> SettingSources.liveSettingsJmx(),
            Path.of("..", "docs", "configuration.md"), SettingSources::docs);

    static Set<Path> files() {
        return FILES.keySet();
    }

    @ParameterizedTest
    @MethodSource("files")
    void nothingIsOutOfDate(Path file) throws IOException {
        String present = Files.exists(file) ? Files.readString(file) : "";

        String wanted = FILES.get(file).apply(present);

        if (System.getProperty("regenerate") != null) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, wanted);
        } else {
            assertThat(present)
                    .as("%s; write it again, GeneratedSettingsTest says how", file)
                    .isEqualTo(wanted);
        }
    }
}
