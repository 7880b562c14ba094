package dev.reservoir.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** What a native image is told. */
class ReservoirRuntimeHintsTest {
    @Test
    void springBootMayCallTheSetters() {
        RuntimeHints hints = new RuntimeHints();
        new ReservoirRuntimeHints().registerHints(hints, null);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(ReservoirDataSource.class)
                        .withMemberCategories(
                                MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS, MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
    }
}
