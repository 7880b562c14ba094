package dev.reservoir.bench.micro;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** One checkout and release. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class CheckoutBenchmark {

    @Benchmark
    public Connection checkout(FullPool pool) throws SQLException {
        Connection connection = pool.dataSource.getConnection();
        connection.close();
        return connection;
    }
}
