package dev.reservoir.cluster;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.reservoir.testkit.ArchitectureRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

    @Test
    void noThreadIsUsedThatIsNotOwned() {
        ArchitectureRules.usesOnlyThreadsOfItsOwn(ALL);
    }

    @Test
    void theExportedApiShowsNoInternalType() {
        ArchitectureRules.exportedApiShowsNoInternalType(
                ALL, "dev.reservoir.core", "dev.reservoir.core.spi", "dev.reservoir.core.time");
    }

    /** The budget serves any database and any store. Names of a database or a cloud come in through the settings. */
    @Test
    void theSourceNamesNoDatabaseAndNoCloud() throws IOException {
        Pattern name = Pattern.compile("dsql|aurora|amazon|dynamo|\\baws", Pattern.CASE_INSENSITIVE);
        try (Stream<Path> files = Files.walk(Path.of("src", "main"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file)).as("%s", file).doesNotContainPattern(name);
            }
        }
    }
}
