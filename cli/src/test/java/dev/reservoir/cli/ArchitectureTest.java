package dev.reservoir.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** How the packages of the command may depend on each other. */
class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    /** The root package uses all others, and is used by none. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching("dev.reservoir.cli.(**)").should().beFreeOfCycles().check(MODULE);
        noClasses()
                .that()
                .resideInAPackage("dev.reservoir.cli.*")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.reservoir.cli")
                .check(MODULE);
    }
}
