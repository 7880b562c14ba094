package dev.reservoir.flightsql;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.reservoir.testkit.ArchitectureRules;
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
                        "java..",
                        "javax.net.ssl..",
                        "org.slf4j..",
                        "org.jspecify.annotations")
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

    @Test
    void nothingIsBoundToAThread() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(MODULE);
    }
}
