package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The metadata of the jar for the module system and for native images. */
class PackagingTest {
    private static final String METADATA = "META-INF/native-image/dev.reservoir/reservoir-jdbc/";

    @Test
    void theModuleOffersItsDriver() throws URISyntaxException {
        Path classes = Path.of(ReservoirDataSource.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        ModuleDescriptor module = ModuleFinder.of(classes)
                .find("dev.reservoir.jdbc")
                .orElseThrow()
                .descriptor();

        assertThat(module.exports())
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactly("dev.reservoir.jdbc");
        assertThat(module.provides()).singleElement().satisfies(service -> {
            assertThat(service.service()).isEqualTo("java.sql.Driver");
            assertThat(service.providers()).containsExactly(ReservoirDriver.class.getName());
        });
    }

    @Test
    void whatIsReachedByReflectionIsInTheMetadata() throws IOException {
        String json = text(METADATA + "reflect-config.json");
        Matcher names =
                Pattern.compile("\"name\"\\s*:\\s*\"(dev\\.reservoir[^\"]*)\"").matcher(json);
        List<String> listed = names.results().map(r -> r.group(1)).toList();

        assertThat(listed)
                .containsExactlyInAnyOrder(
                        ReservoirDataSource.class.getName(),
                        DataSourceBean.class.getName(),
                        ReservoirDriver.class.getName(),
                        KeepaliveSocketFactory.class.getName(),
                        ReservoirDataSourceFactory.class.getName(),
                        ReservoirDataSourceMXBean.class.getName());
        assertThat(text(METADATA + "resource-config.json")).contains("META-INF/services/java.sql.Driver");
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = PackagingTest.class.getClassLoader().getResourceAsStream(resource)) {
            assertThat(in).as(resource).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
