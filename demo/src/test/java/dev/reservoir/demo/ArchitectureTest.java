package dev.reservoir.demo;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** How the packages of the demo may depend on each other. */
class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    /** The root package is the door to all others, and they may use its types. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching("dev.reservoir.demo" + ".(**)")
                .should()
                .beFreeOfCycles()
                .check(MODULE);
    }
}
