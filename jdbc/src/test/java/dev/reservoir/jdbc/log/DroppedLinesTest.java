package dev.reservoir.jdbc.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.LogLines;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log lines that a full queue drops are counted in the log. */
class DroppedLinesTest {
    private static final Logger LOG = LoggerFactory.getLogger(ReservoirDataSource.class);

    @Test
    void linesThatWereDroppedAreCountedInTheLogAsSoonAsOneGetsThrough() {
        AtomicBoolean isFull = new AtomicBoolean(true);
        EventDispatcher lines = new EventDispatcher(
                task -> {
                    if (isFull.get()) {
                        throw new RejectedExecutionException("full");
                    }
                    task.run();
                },
                LOG);
        try (LogLines log = new LogLines()) {
            assertThat(lines.run(() -> {})).isFalse();
            assertThat(lines.run(() -> {})).isFalse();
            isFull.set(false);
            assertThat(lines.run(() -> {})).isTrue();
            assertThat(lines.run(() -> {})).isTrue();
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("dropped_events"))
                    .singleElement()
                    .asString()
                    .endsWith("dropped_events=2");
        }
    }

    @Test
    void theCountTakesOnePlaceAmongTheLinesThatWait() {
        Queue<Runnable> waiting = new ArrayDeque<>();
        AtomicBoolean isFull = new AtomicBoolean(true);
        EventDispatcher lines = new EventDispatcher(
                task -> {
                    if (isFull.get()) {
                        throw new RejectedExecutionException("full");
                    }
                    waiting.add(task);
                },
                LOG);
        try (LogLines log = new LogLines()) {
            for (int round = 1; round <= 2; round++) {
                isFull.set(true);
                assertThat(lines.run(() -> {})).isFalse();
                isFull.set(false);
                for (int i = 0; i < 3; i++) {
                    assertThat(lines.run(() -> {})).isTrue();
                }
                assertThat(waiting).hasSize(4);
                waiting.forEach(Runnable::run);
                waiting.clear();
                assertThat(log.lines())
                        .filteredOn(line -> line.contains("dropped_events=1"))
                        .hasSize(round);
            }
        }
    }
}
