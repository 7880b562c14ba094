package dev.reservoir.bench.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TroublePartTest {

    @Test
    void allCasesAreRunUnlessSomeAreNamed() {
        assertThat(TroublePart.cases("all")).containsExactly("silent", "busy", "password", "idle", "drop", "restart");
        assertThat(TroublePart.cases("drop,busy")).containsExactly("drop", "busy");
    }

    @Test
    void anUnknownCaseIsAnsweredWithTheOnesThereAre() {
        assertThatThrownBy(() -> TroublePart.cases("drop,flood"))
                .hasMessageContaining("--case = flood")
                .hasMessageContaining("silent, busy, password");
    }
}
