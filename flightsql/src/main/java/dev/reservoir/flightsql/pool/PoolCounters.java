package dev.reservoir.flightsql.pool;

import java.util.concurrent.atomic.LongAdder;

/** Counts what the engine does not see. */
public final class PoolCounters {
    /** Reads that were sent once more. */
    public final LongAdder retries = new LongAdder();

    /** Statements that the pool tried to stop. */
    public final LongAdder cancelAttempts = new LongAdder();

    /** Statements that the server says it has stopped. */
    public final LongAdder cancelsConfirmed = new LongAdder();

    PoolCounters() {}
}
