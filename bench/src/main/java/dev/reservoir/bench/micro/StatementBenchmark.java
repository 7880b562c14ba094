package dev.reservoir.bench.micro;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Creates, executes and closes a statement on a connection that the thread holds. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class StatementBenchmark {

    /** A connection for each thread, for the whole trial. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls checkOut before the thread measures
    public static class HeldConnection {

        Connection connection;

        @Setup(Level.Trial)
        public void checkOut(FullPool pool) throws SQLException {
            connection = pool.dataSource.getConnection();
        }

        @TearDown(Level.Trial)
        public void giveBack() throws SQLException {
            connection.close();
        }
    }

    @Benchmark
    public boolean statement(HeldConnection held) throws SQLException {
        try (Statement statement = held.connection.createStatement()) {
            return statement.execute("SELECT 1");
        }
    }
}
