package dev.reservoir.bench.dsql;

import com.mchange.v2.sql.filter.FilterDataSource;
import dev.reservoir.bench.report.LatencyHistogram;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/**
 * Measures the checkouts of a reservoir, and records for each thread when it last got a connection. The reservoir's own
 * count shows whether a checkout found no ready connection. Changes nothing else.
 */
@SuppressWarnings("unchecked") // unwrap, as the superclass declares it
final class TimedDataSource extends FilterDataSource {
    private static final long LIMIT_NANOS = 1_000_000;

    /** Times of checkouts that found a ready connection. */
    final LatencyHistogram checkouts = new LatencyHistogram();

    /** Times of checkouts that had to wait. */
    final LatencyHistogram waits = new LatencyHistogram();

    /** Checkouts in {@link #checkouts} that took longer than a millisecond. */
    final LongAdder slow = new LongAdder();

    private final LongSupplier empties;
    private volatile boolean counting;
    private final ThreadLocal<Long> acquiredMillis = ThreadLocal.withInitial(() -> 0L);

    TimedDataSource(DataSource inner) throws SQLException {
        super(inner);
        ReservoirDataSource reservoir = inner.unwrap(ReservoirDataSource.class);
        this.empties = () -> reservoir.stats().empties();
    }

    void count() {
        counting = true;
    }

    /** When this thread last got a connection, in milliseconds since 1970, or 0 if its last request got none. */
    long acquiredMillis() {
        return acquiredMillis.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        acquiredMillis.set(0L);
        long emptiesBefore = empties.getAsLong();
        long began = System.nanoTime();
        Connection connection = inner.getConnection();
        long nanos = System.nanoTime() - began;
        acquiredMillis.set(System.currentTimeMillis());
        if (counting) {
            count(nanos, empties.getAsLong() == emptiesBefore);
        }
        return connection;
    }

    private void count(long nanos, boolean ready) {
        (ready ? checkouts : waits).record(nanos);
        if (ready && nanos > LIMIT_NANOS) {
            slow.increment();
        }
    }
}
