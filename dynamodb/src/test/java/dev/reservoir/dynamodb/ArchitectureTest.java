package dev.reservoir.dynamodb;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;

/** What this module may depend on. */
class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter().importPath("target/classes");

    @Test
    void itStandsOnTheBudgetTheEngineAndTheSdkAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "dev.reservoir.dynamodb",
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

    /** The common pool and the timers of {@code CompletableFuture} are the application's: they may be busy, or block. */
    @Test
    void noThreadIsUsedThatIsNotOwned() {
        Set<String> timers = Set.of("orTimeout", "completeOnTimeout", "delayedExecutor");
        DescribedPredicate<JavaCall<?>> borrowed = DescribedPredicate.describe(
                "runs on a thread of the common pool or of CompletableFuture",
                call -> call.getTargetOwner().isAssignableTo(CompletionStage.class)
                        && (timers.contains(call.getName()) || isWithoutExecutor(call)));
        noClasses().should().callCodeUnitWhere(borrowed).check(MODULE);
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ForkJoinPool.class)
                .check(MODULE);
    }

    private static boolean isWithoutExecutor(JavaCall<?> call) {
        return call.getName().endsWith("Async")
                && call.getTarget().getRawParameterTypes().stream()
                        .noneMatch(type -> type.isEquivalentTo(Executor.class));
    }
}
