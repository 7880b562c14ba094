package dev.reservoir.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;

/** Rules for the architecture that several modules share. Each method fails if a class breaks the rule. */
public final class ArchitectureRules {
    private static final String OURS = "dev.reservoir.";
    private static final Path COMPILED_MODULE = Path.of("target", "classes", "module-info.class");

    private ArchitectureRules() {}

    /**
     * The common pool and the timers of {@code CompletableFuture} belong to the application, so they may be busy or
     * blocked. No class uses them.
     */
    public static void usesOnlyThreadsOfItsOwn(JavaClasses module) {
        Set<String> timers = Set.of("orTimeout", "completeOnTimeout", "delayedExecutor");
        DescribedPredicate<JavaCall<?>> borrowed = DescribedPredicate.describe(
                "runs on a thread of the common pool or of CompletableFuture",
                call -> call.getTargetOwner().isAssignableTo(CompletionStage.class)
                        && (timers.contains(call.getName()) || isWithoutExecutor(call)));
        noClasses().should().callCodeUnitWhere(borrowed).check(module);
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ForkJoinPool.class)
                .check(module);
    }

    private static boolean isWithoutExecutor(JavaCall<?> call) {
        return call.getName().endsWith("Async")
                && call.getTarget().getRawParameterTypes().stream()
                        .noneMatch(type -> type.isEquivalentTo(Executor.class));
    }

    /**
     * The packages that the module in this folder exports to everybody show only types that a user can name: public
     * ones, in packages that are exported to everybody.
     *
     * @param ofOtherModules the packages of this project's other modules that the API may show
     */
    public static void exportedApiShowsNoInternalType(JavaClasses module, String... ofOtherModules) {
        Set<String> exported = exportedPackages();
        Set<String> visible = new HashSet<>(exported);
        visible.addAll(List.of(ofOtherModules));
        classes()
                .that(DescribedPredicate.describe(
                        "are exported", type -> exported.contains(type.getPackageName()) && isPublic(type)))
                .should(showOnlyTypesIn(visible))
                .check(module);
    }

    private static Set<String> exportedPackages() {
        Set<String> exported = new HashSet<>();
        try (InputStream compiled = Files.newInputStream(COMPILED_MODULE)) {
            for (ModuleDescriptor.Exports one : ModuleDescriptor.read(compiled).exports()) {
                if (!one.isQualified()) {
                    exported.add(one.source());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return exported;
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(ArchitectureRules::isPublic).orElse(true);
    }

    private static ArchCondition<JavaClass> showOnlyTypesIn(Set<String> visible) {
        return new ArchCondition<>("show only types in " + visible) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream())
                        .forEach(above -> check(type, above, type.getName(), events));
                for (JavaMember member : type.getMembers()) {
                    Set<JavaModifier> modifiers = member.getModifiers();
                    if (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED)) {
                        member.getAllInvolvedRawTypes()
                                .forEach(shown -> check(type, shown, member.getFullName(), events));
                    }
                }
            }

            private void check(JavaClass type, JavaClass shown, String where, ConditionEvents events) {
                JavaClass base = shown.getBaseComponentType();
                boolean allowed =
                        !base.getName().startsWith(OURS) || (visible.contains(base.getPackageName()) && isPublic(base));
                if (!allowed) {
                    events.add(SimpleConditionEvent.violated(type, where + " shows " + base.getName()));
                }
            }
        };
    }
}
