package dev.reservoir.flightsql;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.reservoir.testkit.ArchitectureRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The dependencies that the Flight SQL door and its parts may have. */
class ArchitectureTest {
    private static final String ROOT = "dev.reservoir.flightsql";
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    /** The root package uses all others, and they may use its types. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(MODULE);
    }

    @Test
    void itUsesTheEngineArrowAndNothingElse() {
        classes()
                .that()
                .resideInAPackage(ROOT + "..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        ROOT + "..",
                        "dev.reservoir.core",
                        "dev.reservoir.core.spi",
                        "dev.reservoir.core.time",
                        "dev.reservoir.core.util",
                        "org.apache.arrow..",
                        "io.grpc..",
                        "io.netty.handler.ssl..",
                        "io.opentelemetry..",
                        "java..",
                        "javax.net.ssl..",
                        "org.slf4j..",
                        "org.jspecify.annotations")
                .check(MODULE);
    }

    /** Applications need not have OpenTelemetry. */
    @Test
    void onlyOnePackageKnowsOpenTelemetry() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".otel")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.opentelemetry..", ROOT + ".otel")
                .check(MODULE);
    }

    @Test
    void onlyOnePackageKnowsChannels() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".connect")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("io.grpc.ManagedChannel")
                .check(MODULE);
    }

    @Test
    void itUsesOnlyThreadsOfItsOwn() {
        ArchitectureRules.usesOnlyThreadsOfItsOwn(MODULE);
    }

    /** The module is no Java module, so the page of public types is compared with the root package. */
    @Test
    void thePageOfPublicTypesListsTheRootPackage() throws IOException {
        Set<String> listed = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("../docs/public-api.md"))) {
            if (line.startsWith("| `flightsql` |")) {
                Matcher type = Pattern.compile("`([A-Z][A-Za-z]+)`").matcher(line);
                while (type.find()) {
                    listed.add(type.group(1));
                }
            }
        }
        Set<String> types = MODULE.stream()
                .filter(type -> type.getPackageName().equals(ROOT) && type.isTopLevelClass())
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(listed).isEqualTo(types);
    }

    @Test
    void nothingIsBoundToAThread() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(MODULE);
    }
}
