package dev.reservoir.pgwire;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** What the parts of this module may depend on. */
class ArchitectureTest {
    private static final String ROOT = "dev.reservoir.pgwire";
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    /** Every package may use the types of the root package. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(MODULE);
    }

    @Test
    void theModuleKnowsNettyAndNothingElse() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        ROOT + "..", "io.netty..", "java..", "javax..", "org.slf4j", "org.jspecify.annotations"))
                .check(MODULE);
    }

    @Test
    void theApiOfTheServerHidesNetty() {
        noClasses()
                .that()
                .resideInAPackage(ROOT)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.netty..")
                .check(MODULE);
    }
}
