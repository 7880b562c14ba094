package dev.reservoir.emulator;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** What the parts of this module may depend on. */
class ArchitectureTest {
    private static final String ROOT = "dev.reservoir.emulator";
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    /** The root package is the door to all others, and they may use its types. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(MODULE);
    }

    @Test
    void theRulesOfSqlKnowNothingButTheirWords() {
        classes()
                .that()
                .resideInAPackage(ROOT + ".internal.sql")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        ROOT + ".internal.sql",
                        "dev.reservoir.pgwire",
                        "dev.reservoir.pgwire.sql",
                        "java..",
                        "org.jspecify.annotations"))
                .check(MODULE);
    }

    @Test
    void onlyTheExtensionKnowsJunit() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".junit")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.junit..")
                .check(MODULE);
    }

    @Test
    void eachLibraryHasOnePlace() {
        onlyIn(ROOT + ".internal.auth", "org.bouncycastle..", "software.amazon.awssdk..");
        onlyIn(ROOT + ".internal.postgres", "dev.reservoir.postgres.local..", "java.sql..", "javax.sql..");
        onlyIn(ROOT + ".internal.http", "com.fasterxml..", "io.netty.handler.codec.http..");
    }

    private static void onlyIn(String place, String... libraries) {
        noClasses()
                .that()
                .resideOutsideOfPackage(place)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(libraries)
                .check(MODULE);
    }

    @Test
    void thePublicDoorHidesNetty() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT, ROOT + ".junit")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.netty..")
                .check(MODULE);
    }
}
