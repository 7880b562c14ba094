package dev.reservoir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MeasuredSideTest {

    @Test
    void anUnknownSideIsAnsweredWithTheOnesThereAre() {
        assertThatThrownBy(() -> MeasuredSide.byId("rust")).hasMessageContaining("allowed: reservoir, compatible, go");
    }
}
