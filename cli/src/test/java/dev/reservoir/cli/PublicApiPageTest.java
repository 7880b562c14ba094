package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.core.Reservoir;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dynamodb.DynamoBudget;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.metrics.prometheus.PrometheusEndpoint;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The page of public types lists every type that the published modules export, and no other. It leaves out the module
 * flightsql, on which the command does not depend.
 */
class PublicApiPageTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z.]+)` \\| ([^|]+) \\|");
    private static final Pattern TYPE = Pattern.compile("`([A-Za-z]+)`");

    private static final JavaClasses ALL = new ClassFileImporter().importPackages("dev.reservoir");

    @Test
    void itListsEveryExportedTypeAndNoOther() throws Exception {
        Set<String> exported = new TreeSet<>();
        for (Class<?> one : Set.of(
                Reservoir.class,
                ReservoirDataSource.class,
                ClusterBudget.class,
                DynamoBudget.class,
                DsqlDataSource.class,
                RemoteConnectionPoolRegistry.class,
                PrometheusEndpoint.class)) {
            exported.addAll(exportedTypes(one));
        }
        assertThat(exported).contains("dev.reservoir.dsql.DsqlTokens");
        assertThat(listedTypes()).isEqualTo(exported);
    }

    /** The public top-level types in the exported packages of the module that this class belongs to. */
    private static Set<String> exportedTypes(Class<?> ofModule) throws Exception {
        Path place = Path.of(
                ofModule.getProtectionDomain().getCodeSource().getLocation().toURI());
        ModuleReference module = ModuleFinder.of(place).findAll().iterator().next();
        Set<String> packages = module.descriptor().exports().stream()
                .filter(exports -> !exports.isQualified())
                .map(Exports::source)
                .collect(Collectors.toSet());
        try (ModuleReader reader = module.open()) {
            return reader.list()
                    .filter(file -> file.endsWith(".class") && !file.contains("$") && file.contains("/"))
                    .map(file ->
                            file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .filter(name -> packages.contains(name.substring(0, name.lastIndexOf('.'))))
                    .filter(PublicApiPageTest::isPublic)
                    .collect(Collectors.toSet());
        }
    }

    /** Reads the class without loading it, because libraries that it may use are optional. */
    private static boolean isPublic(String className) {
        return ALL.get(className).getModifiers().contains(JavaModifier.PUBLIC);
    }

    private static Set<String> listedTypes() throws IOException {
        Set<String> listed = new TreeSet<>();
        String page = Files.readString(Path.of("../docs/public-api.md"));
        for (Matcher row = ROW.matcher(page); row.find(); ) {
            // Modules that the command does not have. A test of their own compares them.
            if (row.group(1).matches("flightsql.*|metrics\\.(micrometer|opentelemetry)")) {
                continue;
            }
            for (Matcher type = TYPE.matcher(row.group(2)); type.find(); ) {
                listed.add("dev.reservoir." + row.group(1) + "." + type.group(1));
            }
        }
        return listed;
    }
}
