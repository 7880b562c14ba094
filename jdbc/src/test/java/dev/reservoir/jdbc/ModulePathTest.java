package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.Reservoir;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** An application that is a module finds the data source and the driver on its module path. */
class ModulePathTest {
    private static final String MODULE = """
            module app {
                requires dev.reservoir.jdbc;
            }
            """;

    private static final String MAIN = """
            package app;

            import dev.reservoir.jdbc.ReservoirDataSource;
            import java.lang.reflect.Proxy;
            import java.sql.Connection;
            import java.sql.DriverManager;
            import javax.sql.DataSource;

            public final class Main {
                public static void main(String[] args) throws Exception {
                    DataSource database = stub(DataSource.class, stub(Connection.class, null));
                    try (ReservoirDataSource door = ReservoirDataSource.builder()
                                    .name("app").dataSource(database).maxOpen(1).build();
                            Connection connection = DriverManager.getConnection("jdbc:reservoir:app")) {
                        System.out.println(door.getClass().getModule());
                        System.out.println(DriverManager.getDriver("jdbc:reservoir:app").getClass().getModule());
                        System.out.println("in use " + door.stats().inUse());
                    }
                }

                private static <T> T stub(Class<T> type, Object connection) {
                    return type.cast(Proxy.newProxyInstance(Main.class.getClassLoader(), new Class<?>[] {type},
                            (self, method, arguments) -> switch (method.getName()) {
                                case "getConnection" -> connection;
                                case "hashCode" -> 1;
                                case "equals" -> self == arguments[0];
                                case "toString" -> "stub";
                                default -> method.getReturnType() == boolean.class ? (Object) true : null;
                            }));
                }
            }
            """;

    @Test
    void theDriverIsFoundAndHandsOut(@TempDir Path folder) throws Exception {
        Path sources = Files.createDirectories(folder.resolve("src/app"));
        Path module = Files.writeString(folder.resolve("src/module-info.java"), MODULE);
        Path main = Files.writeString(sources.resolve("Main.java"), MAIN);
        String doors = Stream.of(ReservoirDataSource.class, Reservoir.class, LoggerFactory.class)
                .map(ModulePathTest::owner)
                .collect(Collectors.joining(File.pathSeparator));
        Path classes = folder.resolve("app");
        int compiled = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        System.out,
                        System.err,
                        "--module-path",
                        doors,
                        "-d",
                        classes.toString(),
                        module.toString(),
                        main.toString());
        assertThat(compiled).isZero();

        assertThat(run(folder, doors + File.pathSeparator + classes))
                .contains("module dev.reservoir.jdbc", "module dev.reservoir.jdbc", "in use 1");
    }

    private static List<String> run(Path folder, String modulePath) throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        modulePath,
                        "--module",
                        "app/app.Main")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(2, TimeUnit.MINUTES);
        if (!ended) {
            process.destroyForcibly();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended).as(text).isTrue();
        assertThat(process.exitValue()).as(text).isZero();
        return text.lines().toList();
    }

    private static String owner(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
