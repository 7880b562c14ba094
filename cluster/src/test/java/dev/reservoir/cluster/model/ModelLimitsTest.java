package dev.reservoir.cluster.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a table allows and charges that has the limits of DynamoDB. */
class ModelLimitsTest {
    private static final long MILLI = 1_000_000L;

    private long nowNanos;
    private final ModelLimits limits = new ModelLimits(() -> nowNanos);
    private final ModelTable table = new ModelTable(() -> nowNanos / 1_000_000_000L, limits);

    private static Write add(String key) {
        return Write.update(key, List.of(Change.add("n", 1)));
    }

    private static Write large(String key, int bytes) {
        return Write.put(key, List.of(Change.set("text", "x".repeat(bytes))));
    }

    private void assertFails(Kind kind, ThrowingCallable call) {
        assertThat(catchThrowableOfType(StoreException.class, call).kind()).isEqualTo(kind);
    }

    private long written(String key) {
        var item = table.item(key);
        return item == null ? 0 : item.number("n", 0);
    }

    @Test
    void aKeyTakesAThousandWritesASecond() {
        for (int i = 0; i < 1_000; i++) {
            table.write(add("a"));
        }
        assertFails(Kind.THROTTLED, () -> table.write(add("a")));
        assertThat(written("a")).isEqualTo(1_000);
        table.write(add("b"));
        nowNanos += 2 * MILLI;
        table.write(add("a"));
        table.write(add("a"));
        assertFails(Kind.THROTTLED, () -> table.write(add("a")));
    }

    @Test
    void aKeyTakesThreeThousandReadUnitsASecond() {
        for (int i = 0; i < 6_000; i++) {
            table.read(List.of("a"), false);
        }
        assertFails(Kind.THROTTLED, () -> table.read(List.of("a"), false));
        assertThat(limits.readUnits()).isEqualTo(3_000);
        nowNanos += MILLI;
        for (int i = 0; i < 3; i++) {
            table.read(List.of("a"), true);
        }
        assertFails(Kind.THROTTLED, () -> table.read(List.of("a"), true));
    }

    @Test
    void aTransactionLocksItsItemsForAWhile() {
        table.transact(List.of(add("a"), add("b")), "one");
        assertFails(Kind.CONFLICT, () -> table.transact(List.of(add("b"), add("c")), "two"));
        assertFails(Kind.CONFLICT, () -> table.write(add("a")));
        assertThat(written("c")).isZero();
        table.write(add("c"));
        nowNanos += 6 * MILLI;
        table.transact(List.of(add("b"), add("c")), "three");
        assertThat(written("b")).isEqualTo(2);
        assertThat(written("c")).isEqualTo(2);
    }

    @Test
    void itChargesByTheSizeOfTheItem() {
        table.write(add("a"));
        assertThat(limits.writeUnits()).isEqualTo(1);
        table.write(large("b", 1_100));
        assertThat(limits.writeUnits()).isEqualTo(1 + 2);
        table.write(Write.delete("b"));
        assertThat(limits.writeUnits()).isEqualTo(3 + 2);
        table.transact(List.of(add("a"), large("c", 2_100)), "one");
        assertThat(limits.writeUnits()).isEqualTo(5 + 2 + 6);
        table.write(Write.update("d", List.of(Change.add("n", 1)), Condition.present("n")));
        assertThat(limits.writeUnits()).as("a refusal costs as much").isEqualTo(13 + 1);
        table.read(List.of("a"), true);
        table.read(List.of("a"), false);
        table.write(large("e", 4_100));
        table.read(List.of("e"), true);
        assertThat(limits.readUnits()).isEqualTo(1 + 0.5 + 2);
    }
}
