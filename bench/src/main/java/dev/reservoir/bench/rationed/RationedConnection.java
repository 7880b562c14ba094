package dev.reservoir.bench.rationed;

import dev.reservoir.bench.stub.StubConnection;
import java.sql.SQLException;

/** A connection that the database counts and whose calls fail when it is too old. */
@SuppressWarnings("unchecked") // unwrap, as the superclass declares it
final class RationedConnection extends StubConnection {

    final String client;
    final long bornNanos;
    private final RationedDatabase database;

    RationedConnection(RationedDatabase database, String client, long bornNanos) {
        this.database = database;
        this.client = client;
        this.bornNanos = bornNanos;
    }

    @Override
    protected void use() throws SQLException {
        database.checkUsable(this);
    }

    @Override
    public boolean isValid(int timeoutSeconds) {
        return !isClosed() && !database.isTooOld(this);
    }

    @Override
    public void close() throws SQLException {
        super.close();
        database.closed(this);
    }
}
