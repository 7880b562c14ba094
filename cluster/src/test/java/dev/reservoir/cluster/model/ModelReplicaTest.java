package dev.reservoir.cluster.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads that need not be consistent see the past. */
class ModelReplicaTest {
    private static final long SECOND = 1_000_000_000L;

    private long nowNanos = 100 * SECOND;
    private long behindNanos;
    private final ModelTable table = new ModelTable(() -> nowNanos / SECOND);

    ModelReplicaTest() {
        table.write(Write.update("old", List.of(Change.set("n", 7))));
        table.readFrom(new ModelReplica(() -> nowNanos, () -> behindNanos));
    }

    private void set(int value) {
        table.write(Write.update("a", List.of(Change.set("n", value))));
        nowNanos += SECOND;
    }

    private long read(String key, boolean consistent) {
        var item = table.read(List.of(key), consistent).item();
        return item == null ? -1 : item.number("n", 0);
    }

    @Test
    void eachReadIsAsFarBehindAsItIsSaid() {
        set(1);
        set(2);
        set(3);
        assertThat(read("a", false)).isEqualTo(3);
        behindNanos = SECOND / 2;
        assertThat(read("a", false)).isEqualTo(3);
        behindNanos = 3 * SECOND / 2;
        assertThat(read("a", false)).isEqualTo(2);
        behindNanos = 5 * SECOND / 2;
        assertThat(read("a", false)).isEqualTo(1);
        behindNanos = 7 * SECOND / 2;
        assertThat(read("a", false)).as("not there yet").isEqualTo(-1);
        assertThat(read("a", true)).isEqualTo(3);
        behindNanos = SECOND / 2;
        assertThat(read("a", false)).as("another copy is ahead").isEqualTo(3);
    }

    @Test
    void oneThatIsDeletedIsStillSeen() {
        set(1);
        table.write(Write.delete("a"));
        behindNanos = SECOND / 2;
        assertThat(read("a", false)).isEqualTo(1);
        assertThat(read("a", true)).isEqualTo(-1);
        nowNanos += SECOND;
        assertThat(read("a", false)).isEqualTo(-1);
    }

    @Test
    void whatWasWrittenTenSecondsAgoIsSeenByEverybody() {
        behindNanos = 1_000 * SECOND;
        assertThat(read("old", false)).isEqualTo(7);
        for (int i = 1; i <= 30; i++) {
            set(i);
        }
        assertThat(read("a", false)).isEqualTo(21);
        nowNanos += 100 * SECOND;
        assertThat(read("a", false)).isEqualTo(30);
    }
}
