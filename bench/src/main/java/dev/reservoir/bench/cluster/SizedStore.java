package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.Write;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Calculates the capacity that DynamoDB would charge, which depends on the sizes of items. A write costs a unit for
 * each started KB of the item before or after it, whichever is larger, and twice that in a transaction. A read costs a
 * unit for each started 4 KB, and half of that if it is not consistent. Not for use by several threads.
 */
final class SizedStore implements Store {
    private static final double WRITE_UNIT_BYTES = 1_024;
    private static final double READ_UNIT_BYTES = 4_096;

    private final Store inner;
    private final ModelTable table;
    private double readUnits;
    private double writeUnits;

    SizedStore(Store inner, ModelTable table) {
        this.inner = inner;
        this.table = table;
    }

    @Override
    public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
        return inner.read(keys, consistent).thenApply(answer -> {
            for (int i = 0; i < keys.size(); i++) {
                double units = units(keys.get(i), answer.items().get(i), READ_UNIT_BYTES);
                readUnits += consistent ? units : units / 2;
            }
            return answer;
        });
    }

    @Override
    public CompletionStage<Answer> write(Write write) {
        double before = units(write);
        return inner.write(write).thenApply(answer -> {
            writeUnits += Math.max(before, units(write));
            return answer;
        });
    }

    @Override
    public CompletionStage<Answer> transact(List<Write> writes, String token) {
        List<Double> before = writes.stream().map(this::units).toList();
        return inner.transact(writes, token).thenApply(answer -> {
            for (int i = 0; i < writes.size(); i++) {
                writeUnits += 2 * Math.max(before.get(i), units(writes.get(i)));
            }
            return answer;
        });
    }

    @Override
    public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
        return inner.list(keyPrefix, after);
    }

    @Override
    public StoreCounts counts() {
        StoreCounts c = inner.counts();
        return new StoreCounts(
                c.calls(),
                c.errors(),
                c.throttled(),
                c.conflicts(),
                c.itemsRead(),
                c.itemsWritten(),
                readUnits,
                writeUnits);
    }

    private double units(Write write) {
        return units(write.key(), table.item(write.key()), WRITE_UNIT_BYTES);
    }

    private static double units(String key, @Nullable Item item, double unitBytes) {
        double bytes = "pk".length() + bytes(key);
        if (item != null) {
            for (Map.Entry<String, Object> attribute : item.attributes().entrySet()) {
                bytes += bytes(attribute.getKey()) + bytes(attribute.getValue());
            }
        }
        return Math.ceil(bytes / unitBytes);
    }

    private static double bytes(Object value) {
        if (value instanceof Long number) {
            return Long.toString(number).length() / 2 + 1;
        }
        if (value instanceof Set<?> texts) {
            return texts.stream().mapToDouble(SizedStore::bytes).sum();
        }
        return value.toString().getBytes(StandardCharsets.UTF_8).length;
    }
}
