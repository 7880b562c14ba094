package dev.reservoir.cluster.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ModelChargesTest {
    private final VirtualTime time = new VirtualTime();
    private final ModelTable table = new ModelTable(() -> 1_800_000_000L, ModelLimits.chargesOnly());
    private final ModelStore store = new ModelStore(table, time, () -> 0, () -> false);

    @Test
    void aSmallWriteIsOneUnitAndTwoInATransaction() {
        write(Write.update("a", List.of(Change.add("n", 1))));
        assertThat(store.counts().writeUnits()).isEqualTo(1);
        var unused = store.transact(List.of(small("a"), small("b")), "t");
        settle();
        assertThat(store.counts().writeUnits()).isEqualTo(1 + 4);
        assertThat(store.counts().itemsWritten()).isEqualTo(3);
    }

    @Test
    void aWriteIsPaidByTheLargerOfBeforeAndAfterAndAlsoIfItIsRefused() {
        write(large("a"));
        assertThat(store.counts().writeUnits()).isEqualTo(3);
        write(Write.update("a", List.of(Change.add("n", 1)), Condition.absent("text")));
        assertThat(store.counts().writeUnits()).isEqualTo(6);
        write(Write.delete("a"));
        assertThat(store.counts().writeUnits()).isEqualTo(9);
    }

    @Test
    void aReadIsHalfAUnitForEveryFourKilobytesIfItMayBeOld() {
        write(large("a"));
        read("a", false);
        assertThat(store.counts().readUnits()).isEqualTo(0.5);
        read("a", true);
        assertThat(store.counts().readUnits()).isEqualTo(1.5);
        read("absent", false);
        assertThat(store.counts().readUnits()).isEqualTo(2);
    }

    @Test
    void noCallIsThrottledAndNoTransactionConflicts() {
        for (int i = 0; i < 2_000; i++) {
            var unused = store.transact(List.of(small("a")), "t" + i);
        }
        settle();
        assertThat(store.counts().errors()).isZero();
        assertThat(store.counts().writeUnits()).isEqualTo(2 * 2_000);
    }

    private void write(Write write) {
        var unused = store.write(write);
        settle();
    }

    private void read(String key, boolean consistent) {
        var unused = store.read(List.of(key), consistent);
        settle();
    }

    private void settle() {
        time.advance(Duration.ofMillis(1).toNanos());
    }

    private static Write small(String key) {
        return Write.update(key, List.of(Change.set("n", 1)));
    }

    private static Write large(String key) {
        return Write.put(key, List.of(Change.set("text", "x".repeat(2_500))));
    }
}
