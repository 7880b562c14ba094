package dev.reservoir.jdbc;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The dependencies that the JDBC door may have. */
class ArchitectureTest {
    private static final JavaClasses DOOR = new ClassFileImporter().importPath("target/classes");

    /** The root package uses all others, and they may use its types. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching("dev.reservoir.jdbc" + ".(**)")
                .should()
                .beFreeOfCycles()
                .check(DOOR);
    }

    @Test
    void itStandsOnTheJdkSlf4jAndTheEngineAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "dev.reservoir.jdbc..",
                        "dev.reservoir.core",
                        "dev.reservoir.core.metrics",
                        "dev.reservoir.core.spi",
                        "dev.reservoir.core.time",
                        "dev.reservoir.core.util",
                        "java..",
                        "javax.management..",
                        "javax.naming..",
                        "javax.net",
                        "javax.net.ssl",
                        "javax.sql",
                        "org.slf4j..",
                        "org.jspecify.annotations"))
                .check(DOOR);
    }

    /** The settings hold the password, so a caller must not reach them through the API. */
    @Test
    void noPublicMemberOfTheApiSpeaksOfTheInside() {
        DescribedPredicate<JavaClass> inside = resideInAnyPackage("dev.reservoir.jdbc.*..");
        methods()
                .that()
                .areDeclaredInClassesThat()
                .resideInAPackage("dev.reservoir.jdbc")
                .and()
                .arePublic()
                .should()
                .notHaveRawReturnType(inside)
                .andShould()
                .notHaveRawParameterTypes(DescribedPredicate.anyElementThat(inside))
                .check(DOOR);
        fields().that()
                .areDeclaredInClassesThat()
                .resideInAPackage("dev.reservoir.jdbc")
                .and()
                .arePublic()
                .should()
                .notHaveRawType(inside)
                .check(DOOR);
    }

    /** The module serves any database. What belongs to one kind of database comes through its hooks. */
    @Test
    void nothingIsNamedAfterOneDatabaseService() throws IOException {
        Pattern names = Pattern.compile("(?i)\\bdsql|aurora|\\baws|amazon|dynamo|\\biam\\b");
        try (Stream<Path> files = Files.walk(Path.of("src", "main"))) {
            List<Path> sources = files.filter(Files::isRegularFile).toList();
            assertThat(sources).hasSizeGreaterThan(50);
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
                .check(DOOR);
    }
}
