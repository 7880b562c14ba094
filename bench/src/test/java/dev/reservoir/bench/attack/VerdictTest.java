package dev.reservoir.bench.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class VerdictTest {

    @Test
    void oneLineTellsWhatHeldAndWhatDidNot() {
        Verdict verdict = new Verdict("heap: all memory taken")
                .check(true, "served again")
                .check(false, "in use 2")
                .check(true, "0 hang");
        assertThat(verdict.line())
                .isEqualTo("heap: all memory taken. Held: served again; 0 hang. DID NOT HOLD: in use 2");
        assertThat(verdict.holds()).isFalse();
    }

    @Test
    void whatWasSkippedIsNoFailure() {
        Verdict verdict = new Verdict("dns").skip("no second address");
        assertThat(verdict.line()).isEqualTo("dns. Skipped: no second address");
        assertThat(verdict.holds()).isTrue();
    }

    @Test
    void anUnknownAttackIsAnsweredWithTheOnesThereAre() {
        assertThat(AttackPart.names("heap,dns")).isEqualTo(List.of("heap", "dns"));
        assertThatThrownBy(() -> AttackPart.names("flood"))
                .hasMessageContaining("--case = flood")
                .hasMessageContaining("sources, silent");
    }
}
