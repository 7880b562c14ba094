package dev.reservoir.bench.rationed;

import dev.reservoir.bench.stub.LocalDriver;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Connects to a running {@link RationedDatabase} by {@code jdbc:rationed:<database>/<client>}. Blocks for its connect
 * time.
 */
public final class RationedDriver extends LocalDriver {

    public static final String PREFIX = "jdbc:rationed:";

    static {
        register(new RationedDriver());
    }

    public RationedDriver() {
        super(PREFIX);
    }

    @Override
    protected Connection open(String rest) throws SQLException {
        String[] names = rest.split("/", 2);
        if (names.length < 2) {
            throw new SQLException("url = " + PREFIX + rest + ", allowed: " + PREFIX + "<database>/<client>", "08001");
        }
        RationedDatabase database = RationedDatabase.named(names[0]);
        if (database == null) {
            throw new SQLException("no rationed database is running for " + PREFIX + rest, "08001");
        }
        return database.connect(names[1]);
    }
}
