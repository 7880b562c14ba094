package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** An application that has only the starter and a driver: no actuator, no Micrometer, no Aurora DSQL. */
class OptionalLibrariesTest {
    private static final Pattern LEFT_OUT = Pattern.compile(
            "actuator|micrometer-core|spring-boot-health|spring-boot-micrometer|flyway|jooq|tomcat|webmvc|starter-web"
                    + "|awssdk|/dsql/|emulator|h2-|HdrHistogram|jackson");

    @Test
    void theDataSourceIsThereAndNothingElse() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!LEFT_OUT.matcher(entry).find()) {
                urls.add(new File(entry).toURI().toURL());
            }
        }
        assertThat(urls).hasSizeGreaterThan(20);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            String[] beans = (String[]) loader.loadClass(PlainProgram.class.getName())
                    .getMethod("beans", String[].class)
                    .invoke(null, (Object) TestDatabase.properties());
            assertThat(Arrays.asList(beans))
                    .contains("dataSource", "reservoirPoolMetadataProvider", "jdbcTemplate")
                    .doesNotContain("reservoirHealthIndicator", "reservoirEndpoint", "reservoirMeters");
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
