package dev.reservoir.bench.registry;

import dev.reservoir.bench.stub.StubDriver;
import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.adapter.jdbc.DriverProfile;
import dev.reservoir.remote.adapter.jdbc.ErrorTable;
import dev.reservoir.remote.adapter.jdbc.JdbcAdapter;
import java.sql.Connection;
import java.util.Properties;
import java.util.Set;

/** Lets a registry open connections of the {@link StubDriver}. */
final class StubAdapter extends JdbcAdapter {
    /** The value of the option {@code driver.adapter}. */
    static final String NAME = "stub";

    StubAdapter() {
        super(NAME, 1, "SELECT 1", ErrorTable.builder().build(), new Profile());
    }

    private static final class Profile implements DriverProfile {
        @Override
        public DriverInfo info() {
            return new DriverInfo(NAME, StubDriver.class.getName(), "the benchmarks");
        }

        @Override
        public Set<Capability> capabilities() {
            return Set.of();
        }

        @Override
        public String url(ConnectOptions options) {
            return StubDriver.URL;
        }

        @Override
        public void configure(ConnectOptions options, Properties properties) {}

        @Override
        public ResetResult reset(Connection connection) {
            return ResetResult.CLEAN;
        }
    }
}
