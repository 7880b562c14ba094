package dev.reservoir.dsql;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.reservoir.jdbc.AbstractDriver;
import dev.reservoir.testkit.ArchitectureRules;
import org.junit.jupiter.api.Test;

/** What this module may depend on. */
class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    /** The root package is the door to all others, and they may use its types. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching("dev.reservoir.dsql" + ".(**)")
                .should()
                .beFreeOfCycles()
                .check(MODULE);
    }

    @Test
    void itStandsOnTheDoorTheDriverAndTheSdk() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "dev.reservoir.dsql..",
                        "dev.reservoir.jdbc",
                        "dev.reservoir.core",
                        "dev.reservoir.core.spi",
                        "dev.reservoir.core.time",
                        "dev.reservoir.core.util",
                        "java..",
                        "javax.management..",
                        "javax.net.ssl..",
                        "javax.sql..",
                        "com.zaxxer.hikari..",
                        "org.aopalliance..",
                        "org.postgresql..",
                        "org.springframework..",
                        "software.amazon.awssdk..",
                        "org.slf4j..",
                        "org.jspecify.annotations"))
                .check(MODULE);
    }

    /** The builder names it in a signature, which loads nothing. */
    @Test
    void onlyStandardModeNeedsHikari() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.(StandardPool|PoolMetrics|DsqlDataSourceBuilder)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.zaxxer.hikari..")
                .check(MODULE);
    }

    /** The base of all drivers has nothing to do with a pool. */
    @Test
    void onlyReservoirModeNeedsTheReservoir() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        ".*\\.(ReservoirPool|DsqlDataSourceBuilder|ConnectRefusals|DsqlEnvironmentNames)(\\$.*)?")
                .should()
                .dependOnClassesThat(resideInAnyPackage("dev.reservoir.jdbc..").and(not(type(AbstractDriver.class))))
                .check(MODULE);
    }

    @Test
    void onlyTheSignerKnowsHowTheSdkSigns() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.SdkTokenSigner")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("software.amazon.awssdk.http..")
                .check(MODULE);
    }

    /** A user could not name such a type, and it may change in any version. */
    @Test
    void theExportedApiShowsNoInternalType() {
        ArchitectureRules.exportedApiShowsNoInternalType(
                MODULE,
                "dev.reservoir.core",
                "dev.reservoir.core.spi",
                "dev.reservoir.core.time",
                "dev.reservoir.jdbc");
    }

    @Test
    void itUsesOnlyThreadsOfItsOwn() {
        ArchitectureRules.usesOnlyThreadsOfItsOwn(MODULE);
    }
}
