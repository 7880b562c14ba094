package dev.reservoir.remote;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.reservoir.testkit.ArchitectureRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The dependencies that the registry and its parts may have. */
class ArchitectureTest {
    private static final String ROOT = "dev.reservoir.remote";
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    /** The root package uses all others, and they may use its types. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(MODULE);
    }

    @Test
    void theModelKnowsNothingElseOfTheModule() {
        classes()
                .that()
                .resideInAPackage(ROOT + ".model")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        ROOT + ".model", "dev.reservoir.core.util", "java..", "org.jspecify.annotations"))
                .check(MODULE);
    }

    @Test
    void itUsesOnlyThreadsOfItsOwn() {
        ArchitectureRules.usesOnlyThreadsOfItsOwn(MODULE);
    }

    @Test
    void theExportedApiShowsNoInternalType() {
        ArchitectureRules.exportedApiShowsNoInternalType(
                MODULE,
                "dev.reservoir.core",
                "dev.reservoir.core.metrics",
                "dev.reservoir.core.spi",
                "dev.reservoir.core.time",
                "dev.reservoir.jdbc");
    }

    /** The module serves any database service. */
    @Test
    void nothingIsNamedAfterOneDatabaseService() throws IOException {
        Pattern names = Pattern.compile("(?i)\\bdsql|aurora|\\baws|amazon|dynamo|\\biam\\b");
        try (Stream<Path> files = Files.walk(Path.of("src", "main"))) {
            List<Path> sources = files.filter(Files::isRegularFile).toList();
            assertThat(sources).hasSizeGreaterThan(15);
            for (Path source : sources) {
                assertThat(Files.readString(source)
                                .lines()
                                .filter(line -> names.matcher(line).find()))
                        .as("%s", source)
                        .isEmpty();
            }
        }
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
