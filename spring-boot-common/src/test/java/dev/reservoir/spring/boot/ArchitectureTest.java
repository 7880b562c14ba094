package dev.reservoir.spring.boot;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.reservoir.testkit.ArchitectureRules;
import org.junit.jupiter.api.Test;

/** What the part of both starters may depend on. */
class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching("dev.reservoir.spring.boot.(**)")
                .should()
                .beFreeOfCycles()
                .check(MODULE);
    }

    /** These packages are elsewhere in Spring Boot 4. What uses them belongs to the starters. */
    @Test
    void itUsesNothingThatMovedBetweenTheLines() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.springframework.boot.autoconfigure.jdbc..",
                        "org.springframework.boot.actuate.health..",
                        "org.springframework.boot.actuate.autoconfigure.health..",
                        "org.springframework.boot.actuate.autoconfigure.metrics..",
                        "org.springframework.boot.actuate.jdbc..")
                .check(MODULE);
    }

    /** An application without Aurora DSQL loads none of its classes. */
    @Test
    void onlyTwoPlacesKnowAuroraDsql() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.Dsql(DataSourceStarter|[A-Za-z]*AutoConfiguration)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.reservoir.dsql..", "software.amazon..")
                .check(MODULE);
    }

    @Test
    void itUsesOnlyThreadsOfItsOwn() {
        ArchitectureRules.usesOnlyThreadsOfItsOwn(MODULE);
    }
}
