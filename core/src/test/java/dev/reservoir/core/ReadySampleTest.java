package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.InstantConnector;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A listener that never blocks hears of a sample of the checkouts that found a ready connection. */
class ReadySampleTest {
    private final VirtualTime time = new VirtualTime();
    private final List<Integer> samples = new ArrayList<>();

    @Test
    void theSamplesStandForAllCheckoutsSoFar() {
        check(true);
        assertThat(samples).containsExactly(1, 1, 63, 64);
    }

    @Test
    void aListenerThatMayBlockIsNotTold() {
        check(false);
        assertThat(samples).isEmpty();
    }

    private void check(boolean neverBlocks) {
        Reservoir<Object> reservoir = Reservoir.<Object>builder(new InstantConnector())
                .targets(Targets.of(1))
                .time(time)
                .callbacks(time::execute)
                .listener(new Listener<>() {
                    @Override
                    public boolean neverBlocks() {
                        return neverBlocks;
                    }

                    @Override
                    public void foundReady(long tookNanos, int checkouts) {
                        samples.add(checkouts);
                    }
                })
                .build();
        time.settle();
        for (int i = 0; i < 129; i++) {
            reservoir.release(Objects.requireNonNull(reservoir.tryAcquire()));
        }
    }
}
