package dev.reservoir.cluster;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;

/** What the cluster budget may depend on, and what it may not call. */
class ArchitectureTest {
    private static final JavaClasses ALL = new ClassFileImporter().importPath("target/classes");

    /** The root package is the door to all others, and they may use its types. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching("dev.reservoir.cluster" + ".(**)")
                .should()
                .beFreeOfCycles()
                .check(ALL);
    }

    @Test
    void itStandsOnTheEnginesSeamsAndKnowsNoStoreOfItsOwn() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAPackage("dev.reservoir.cluster..")
                        .or(resideInAPackage("dev.reservoir.core"))
                        .or(resideInAPackage("dev.reservoir.core.spi"))
                        .or(resideInAPackage("dev.reservoir.core.util"))
                        .or(resideInAPackage("java.."))
                        .or(resideInAPackage("org.slf4j.."))
                        .or(resideInAPackage("org.jspecify.annotations")))
                .check(ALL);
    }

    @Test
    void theSeamKnowsNothingOfWhatIsBuiltOnIt() {
        noClasses()
                .that()
                .resideInAPackage("dev.reservoir.cluster.store")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.reservoir.cluster..")
                        .and(DescribedPredicate.not(resideInAPackage("dev.reservoir.cluster.store"))))
                .check(ALL);
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.reservoir.cluster.model")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.reservoir.cluster.model"))
                .check(ALL);
    }

    @Test
    void timeAndChanceComeInFromOutside() {
        DescribedPredicate<JavaMethodCall> behindItsBack =
                DescribedPredicate.describe("read a clock, sleep or draw at random", call -> {
                    String owner = call.getTargetOwner().getName();
                    String name = call.getName();
                    return (owner.equals("java.lang.System")
                                    && (name.equals("nanoTime") || name.equals("currentTimeMillis")))
                            || (owner.equals("java.lang.Thread") && name.equals("sleep"))
                            || (owner.startsWith("java.time.") && name.equals("now"))
                            || owner.equals("java.util.concurrent.ThreadLocalRandom")
                            || owner.equals("java.util.UUID");
                });
        noClasses().should().callMethodWhere(behindItsBack).check(ALL);
    }

    /** The common pool and the timers of {@code CompletableFuture} are the application's: they may be busy, or block. */
    @Test
    void noThreadIsUsedThatIsNotOwned() {
        Set<String> timers = Set.of("orTimeout", "completeOnTimeout", "delayedExecutor");
        DescribedPredicate<JavaCall<?>> borrowed = DescribedPredicate.describe(
                "runs on a thread of the common pool or of CompletableFuture",
                call -> call.getTargetOwner().isAssignableTo(CompletionStage.class)
                        && (timers.contains(call.getName()) || isWithoutExecutor(call)));
        noClasses().should().callCodeUnitWhere(borrowed).check(ALL);
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ForkJoinPool.class)
                .check(ALL);
    }

    private static boolean isWithoutExecutor(JavaCall<?> call) {
        return call.getName().endsWith("Async")
                && call.getTarget().getRawParameterTypes().stream()
                        .noneMatch(type -> type.isEquivalentTo(Executor.class));
    }
}
