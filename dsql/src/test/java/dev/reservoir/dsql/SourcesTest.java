package dev.reservoir.dsql;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the code must not contain. */
class SourcesTest {
    private static final Pattern SHARED_LOCK = Pattern.compile("(?i)\\bfor\\s+(key\\s+)?share\\b");

    @Test
    void nothingIsLockedForSharingSinceDsqlCannot() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : List.of("src/main", "../demo/src/main/java/dev/reservoir/demo/workflow")) {
            try (Stream<Path> files = Files.walk(Path.of(module))) {
                files.filter(Files::isRegularFile).forEach(sources::add);
            }
        }
        assertThat(sources).hasSizeGreaterThan(20);
        for (Path source : sources) {
            assertThat(SHARED_LOCK.matcher(Files.readString(source)).find())
                    .as(source.toString())
                    .isFalse();
        }
    }

    @Test
    void whoHasNoSpringNeedsNone() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.reservoir.dsql.spring")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "org.aopalliance..", "dev.reservoir.dsql.spring")
                .check(new ClassFileImporter()
                        .withImportOption(new DoNotIncludeTests())
                        .importPackages("dev.reservoir.dsql"));
    }
}
