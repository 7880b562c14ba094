package dev.reservoir.dynamodb;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.reservoir.testkit.ArchitectureRules;
import org.junit.jupiter.api.Test;

/** What this module may depend on. */
class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    @Test
    void itStandsOnTheBudgetTheEngineAndTheSdkAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "dev.reservoir.dynamodb..",
                        "dev.reservoir.cluster",
                        "dev.reservoir.cluster.store",
                        "dev.reservoir.core",
                        "dev.reservoir.core.spi",
                        "dev.reservoir.core.time",
                        "dev.reservoir.core.util",
                        "java..",
                        "javax.management..",
                        "io.netty..",
                        "software.amazon.awssdk..",
                        "org.slf4j..",
                        "org.jspecify.annotations"))
                .check(MODULE);
    }

    @Test
    void onlyTheClientKnowsNetty() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.DynamoClient(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..", "software.amazon.awssdk.http.nio..")
                .check(MODULE);
    }

    @Test
    void nothingIsBoundToAThread() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(MODULE);
    }

    @Test
    void noThreadIsUsedThatIsNotOwned() {
        ArchitectureRules.usesOnlyThreadsOfItsOwn(MODULE);
    }

    @Test
    void theExportedApiShowsNoInternalType() {
        ArchitectureRules.exportedApiShowsNoInternalType(
                MODULE,
                "dev.reservoir.cluster",
                "dev.reservoir.cluster.store",
                "dev.reservoir.core",
                "dev.reservoir.core.spi",
                "dev.reservoir.core.time");
    }

    /** The root package is the API, and the store below it serves it. */
    @Test
    void theStoreKnowsNothingOfTheBudget() {
        noClasses()
                .that()
                .resideInAPackage("dev.reservoir.dynamodb.store")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.reservoir.dynamodb")
                .check(MODULE);
    }
}
