package dev.reservoir.spring.boot.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.config.DataSourceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JacksonJsonParser;

/**
 * The metadata that editors show for the properties says what {@link DataSourceSettings} and {@link DsqlProperty} say.
 * After a change of either, write it again:
 *
 * <pre>
 * mvn -pl spring-boot-common -am test -Dtest=ConfigurationMetadataTest -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dregenerate
 * </pre>
 */
class ConfigurationMetadataTest {
    private static final Path FILE =
            Path.of("src", "main", "resources", "META-INF", "spring-configuration-metadata.json");

    @Test
    void itIsNotOutOfDate() throws IOException {
        String wanted = ConfigurationMetadata.json();
        if (System.getProperty("regenerate") != null) {
            Files.writeString(FILE, wanted);
        } else {
            assertThat(FILE).as("write it again, this class says how").hasContent(wanted);
        }
    }

    @Test
    void everyPropertyHasATypeAndADescription() {
        Map<String, Object> metadata = new JacksonJsonParser().parseMap(ConfigurationMetadata.json());
        List<?> properties = (List<?>) metadata.get("properties");
        assertThat(properties)
                .hasSize(ReservoirProperties.settings().size() + DsqlProperty.values().length + 1)
                .allSatisfy(one -> {
                    Map<?, ?> property = (Map<?, ?>) one;
                    assertThat(property.get("name").toString()).matches("spring\\.datasource\\.reservoir\\.[a-z.-]+");
                    assertThat(property.get("type").toString())
                            .startsWith("java")
                            .doesNotContain("Object");
                    assertThat(property.get("description").toString())
                            .endsWith(".")
                            .doesNotContain("`", "](");
                });
    }
}
