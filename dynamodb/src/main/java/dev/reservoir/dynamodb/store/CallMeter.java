package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.StoreException;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls to DynamoDB and their cost. Safe for use by any thread. */
final class CallMeter {
    private final LongAdder calls = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder throttled = new LongAdder();
    private final LongAdder conflicts = new LongAdder();
    private final LongAdder itemsRead = new LongAdder();
    private final LongAdder itemsWritten = new LongAdder();
    private final DoubleAdder readUnits = new DoubleAdder();
    private final DoubleAdder writeUnits = new DoubleAdder();

    void called() {
        calls.increment();
    }

    void failed(StoreException error) {
        errors.increment();
        switch (error.kind()) {
            case THROTTLED -> throttled.increment();
            case CONFLICT -> conflicts.increment();
            default -> {}
        }
    }

    void read(long items, double units) {
        itemsRead.add(items);
        readUnits.add(units);
    }

    void wrote(long items, double units) {
        itemsWritten.add(items);
        writeUnits.add(units);
    }

    StoreCounts counts() {
        return new StoreCounts(
                calls.sum(),
                errors.sum(),
                throttled.sum(),
                conflicts.sum(),
                itemsRead.sum(),
                itemsWritten.sum(),
                readUnits.sum(),
                writeUnits.sum());
    }
}
