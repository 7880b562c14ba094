package dev.reservoir.dsql;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
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

    @Test
    void onlyReservoirModeNeedsTheReservoir() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        ".*\\.(ReservoirPool|DsqlDataSourceBuilder|ConnectRefusals|DsqlEnvironmentNames)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.reservoir.jdbc..")
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
    void theExportedApiShowsNoInternalType() throws IOException {
        Set<String> exported = new HashSet<>(Set.of(
                "dev.reservoir.core", "dev.reservoir.core.spi", "dev.reservoir.core.time", "dev.reservoir.jdbc"));
        try (InputStream module = Files.newInputStream(Path.of("target/classes/module-info.class"))) {
            ModuleDescriptor.read(module).exports().forEach(exports -> exported.add(exports.source()));
        }
        List<String> leaks = new ArrayList<>();
        for (JavaClass type : MODULE) {
            if (isApi(type, exported)) {
                shownBy(type)
                        .map(JavaClass::getBaseComponentType)
                        .filter(shown -> shown.getName().startsWith("dev.reservoir.") && !isApi(shown, exported))
                        .forEach(shown -> leaks.add(type.getName() + " shows " + shown.getName()));
            }
        }
        assertThat(leaks).isEmpty();
    }

    private static boolean isApi(JavaClass type, Set<String> exported) {
        return exported.contains(type.getPackageName())
                && isShown(type.getModifiers())
                && type.getEnclosingClass().map(outer -> isApi(outer, exported)).orElse(true);
    }

    private static boolean isShown(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    /** The types that a user of this type meets: those that it extends, and those of its members. */
    private static Stream<JavaClass> shownBy(JavaClass type) {
        Stream<JavaType> parents = Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
        Stream<JavaType> fields = type.getFields().stream()
                .filter(field -> isShown(field.getModifiers()))
                .map(JavaField::getType);
        Stream<JavaType> calls = type.getCodeUnits().stream()
                .filter(call -> isShown(call.getModifiers()))
                .flatMap(call -> Stream.of(
                                List.of(call.getReturnType()), call.getParameterTypes(), call.getExceptionTypes())
                        .flatMap(List::stream));
        return Stream.of(parents, fields, calls)
                .flatMap(types -> types)
                .flatMap(shown -> shown.getAllInvolvedRawTypes().stream());
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
