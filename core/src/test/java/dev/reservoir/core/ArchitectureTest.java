package dev.reservoir.core;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.reservoir.core.internal.EngineThreads;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.JmxBeans;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the engine may depend on, and what it may not call. */
class ArchitectureTest {
    private static final String ROOT = "dev.reservoir.core";
    private static final JavaClasses ENGINE = new ClassFileImporter().importPath("target/classes");

    /** The root package is the door to all others, and they may use its types. */
    @Test
    void packagesBelowTheRootHaveNoCycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(ENGINE);
    }

    @Test
    void theEngineStandsOnTheJdkAndSlf4jAlone() {
        classes()
                .that()
                .resideOutsideOfPackage(ROOT + ".internal.recording")
                .should()
                .onlyDependOnClassesThat(resideInAPackage(ROOT + "..")
                        .or(resideInAPackage("java.."))
                        .or(resideInAPackage("javax.management"))
                        .or(resideInAPackage("org.slf4j"))
                        .or(resideInAPackage("org.jspecify.annotations")))
                .check(ENGINE);
    }

    @Test
    void onlyTheBuilderUsesTheFlightRecorderBecauseAJvmMayLackIt() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".internal.recording")
                .and()
                .doNotHaveFullyQualifiedName(ReservoirBuilder.class.getName())
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".internal.recording")
                .check(ENGINE);
        classes()
                .that()
                .resideInAPackage(ROOT + ".internal.recording")
                .should()
                .onlyDependOnClassesThat(resideInAPackage(ROOT + "..")
                        .or(resideInAPackage("java.."))
                        .or(resideInAPackage("jdk.jfr"))
                        .or(resideInAPackage("org.jspecify.annotations")))
                .check(ENGINE);
    }

    @Test
    void theEngineItselfIsNotShownAnywhere() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(JmxBeans.class.getName())
                .should()
                .dependOnClassesThat()
                .resideInAPackage("javax.management")
                .check(ENGINE);
    }

    @Test
    void onlySystemTimeReadsTheMachinesClock() {
        DescribedPredicate<JavaMethodCall> clocks =
                DescribedPredicate.describe("read a clock, sleep or draw at random behind the engine's back", call -> {
                    String owner = call.getTargetOwner().getName();
                    String name = call.getName();
                    return (owner.equals("java.lang.System")
                                    && (name.equals("nanoTime") || name.equals("currentTimeMillis")))
                            || (owner.equals("java.lang.Thread") && name.equals("sleep"))
                            || (owner.equals("java.lang.Math") && name.equals("random"))
                            || (owner.startsWith("java.time.") && name.equals("now"))
                            || (owner.equals("java.util.concurrent.CompletableFuture")
                                    && (name.equals("orTimeout")
                                            || name.equals("completeOnTimeout")
                                            || name.equals("delayedExecutor")));
                });
        noClasses()
                .that()
                .areNotAssignableTo(SystemTime.class)
                .should()
                .callMethodWhere(clocks)
                .check(ENGINE);
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocalRandom.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Random.class)
                .check(ENGINE);
    }

    @Test
    void nothingIsSynchronizedOrBoundToAThread() throws IOException {
        noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED).check(ENGINE);
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(ENGINE);
        // Blocks leave no trace that can be asked for but the source.
        try (Stream<Path> sources = Files.walk(Path.of("src", "main", "java"))) {
            List<Path> all =
                    sources.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(all).hasSizeGreaterThan(20);
            for (Path source : all) {
                assertThat(Files.readString(source)).as("%s", source).doesNotContain("synchronized (");
            }
        }
    }

    @Test
    void theSeamsKnowNothingOfTheInside() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT + ".spi", ROOT + ".time")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".internal..")
                .check(ENGINE);
        noClasses()
                .that()
                .resideInAnyPackage(ROOT, ROOT + ".spi", ROOT + ".util", ROOT + ".internal..")
                .and()
                .doNotHaveFullyQualifiedName(EngineThreads.class.getName())
                .and()
                .areTopLevelClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".time")
                .check(ENGINE);
    }

    @Test
    void whatIsExportedIsTheApiTheSeamsTheTimesAndTheMetrics() {
        ModuleDescriptor module = ModuleFinder.of(Path.of("target", "classes"))
                .find(ROOT)
                .orElseThrow()
                .descriptor();
        assertThat(module.exports())
                .filteredOn(exported -> !exported.isQualified())
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrder(ROOT, ROOT + ".spi", ROOT + ".time", ROOT + ".metrics");
    }

    @Test
    void noPublicMethodSpeaksOfTheInside() {
        methods()
                .that()
                .areDeclaredInClassesThat()
                .resideInAnyPackage(ROOT, ROOT + ".spi", ROOT + ".time")
                .and()
                .areDeclaredInClassesThat()
                .arePublic()
                .and()
                .arePublic()
                .should()
                .notHaveRawReturnType(resideInAPackage(ROOT + ".internal.."))
                .andShould()
                .notHaveRawParameterTypes(DescribedPredicate.anyElementThat(resideInAPackage(ROOT + ".internal..")))
                .check(ENGINE);
    }

    @Test
    void noFieldThatCanChangeIsPublic() {
        fields().that().arePublic().should().beFinal().check(ENGINE);
    }

    @Test
    void noConstructorOfAClassHasManyParameters() {
        constructors()
                .that()
                .areDeclaredInClassesThat()
                .areNotRecords()
                .should(new ArchCondition<>("have at most 7 parameters") {
                    @Override
                    public void check(JavaConstructor constructor, ConditionEvents events) {
                        int count = constructor.getRawParameterTypes().size();
                        events.add(new SimpleConditionEvent(
                                constructor, count <= 7, constructor.getFullName() + " has " + count));
                    }
                })
                .check(ENGINE);
    }
}
