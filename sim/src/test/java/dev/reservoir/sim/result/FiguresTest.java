package dev.reservoir.sim.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.PoolKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An outcome in a few numbers. */
class FiguresTest {
    private static Figures of(Sample... samples) {
        Outcome made = HandMade.passing();
        return Figures.of(new Outcome(
                made.scenario(),
                PoolKind.RESERVOIR,
                List.of(samples),
                List.of(),
                List.of(),
                made.waits(),
                List.of(),
                1,
                List.of(),
                0,
                0));
    }

    @Test
    void theUsableShareCountsOnlyAfterAServiceFirstHadItsTarget() {
        Figures figures = of(
                HandMade.sample(1, "a", 10, 0),
                HandMade.sample(1, "b", 5, 0),
                HandMade.sample(2, "a", 50, 0),
                HandMade.sample(2, "b", 6, 0),
                HandMade.sample(3, "a", 40, 0),
                HandMade.sample(3, "b", 7, 0));

        assertThat(figures.smallestUsableShare()).isEqualTo(0.8);
    }

    @Test
    void moreThanTheTargetIsNoMoreThanAll() {
        assertThat(of(HandMade.sample(1, "a", 55, 0), HandMade.sample(1, "b", 50, 0))
                        .smallestUsableShare())
                .isEqualTo(1.0);
    }

    @Test
    void numbersHaveNoNeedlessDigits() {
        assertThat(Figures.fixed(2.0 / 3, 3).toPlainString()).isEqualTo("0.667");
        assertThat(Figures.fixed(900, 3).toPlainString()).isEqualTo("900");
        assertThat(Figures.fixed(0, 3).toPlainString()).isEqualTo("0");
    }
}
