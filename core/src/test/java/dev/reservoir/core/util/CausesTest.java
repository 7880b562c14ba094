package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class CausesTest {
    @Test
    void theOutermostComesFirst() {
        IOException inner = new IOException("inner");
        RuntimeException outer = new RuntimeException("outer", inner);

        assertThat(Causes.of(outer)).containsExactly(outer, inner);
        assertThat(Causes.contain(outer, IOException.class)).isTrue();
        assertThat(Causes.contain(outer, IllegalStateException.class)).isFalse();
        assertThat(Causes.of(null)).isEmpty();
        assertThat(Causes.root(outer)).isSameAs(inner);
        assertThat(Causes.root(inner)).isSameAs(inner);
    }

    @Test
    void aCircularChainEnds() {
        Exception first = new Exception("first");
        Exception second = new Exception("second", first);
        first.initCause(second);

        assertThat(Causes.of(first)).hasSize(Causes.MAX).containsOnly(first, second);
    }
}
