package dev.reservoir.bench.micro;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.pools.StubPools;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One pool of stub connections, shared by all threads and filled before the measurement starts. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls start before any thread uses the other fields
public class FullPool {

    /** The pool; {@link MicroPart} chooses it. */
    @Param("hikaricp")
    public String pool;

    /** The number of its connections. */
    @Param("32")
    public int size;

    DataSource dataSource;
    private PoolUnderTest running;

    @Setup(Level.Trial)
    public void start() throws SQLException, InterruptedException {
        Jvm.silenceLogs();
        running = StubPools.openFull(PoolKind.byId(pool), "micro", size);
        dataSource = running.dataSource();
    }

    @TearDown(Level.Trial)
    public void stop() {
        running.close();
    }
}
