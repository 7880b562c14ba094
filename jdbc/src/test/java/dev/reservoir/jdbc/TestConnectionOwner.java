package dev.reservoir.jdbc;

import dev.reservoir.jdbc.wrap.ConnectionOwner;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A connection owner that records released connections. Never keeps a connection ready. */
public final class TestConnectionOwner implements ConnectionOwner {
    public final List<Boolean> returns = new ArrayList<>();
    public final List<SQLException> brokenBy = new ArrayList<>();
    public final List<Boolean> uses = new ArrayList<>();
    public boolean guardWindow;
    public volatile boolean severalThreads;
    public ErrorRule rule = ErrorRule.standard();

    public WrappedConnection acquire(Connection raw) throws SQLException {
        return acquire(new PhysicalConnection(raw));
    }

    public WrappedConnection acquire(PhysicalConnection physical) {
        return new WrappedConnection(physical, this, false);
    }

    public WrappedConnection acquireForPool(PhysicalConnection physical) {
        return new WrappedConnection(physical, this, true);
    }

    @Override
    public synchronized void giveBack(PhysicalConnection connection, boolean good, boolean used) {
        returns.add(good);
        uses.add(used);
    }

    @Override
    public synchronized void reclaim(PhysicalConnection connection) {
        giveBack(connection, false, false);
    }

    @Override
    public synchronized void broken(PhysicalConnection connection, SQLException why) {
        brokenBy.add(why);
    }

    @Override
    public boolean inGuardWindow(PhysicalConnection connection) {
        return guardWindow;
    }

    @Override
    public boolean expectsSeveralThreads() {
        return severalThreads;
    }

    @Override
    public void severalThreadsSeen() {
        severalThreads = true;
    }

    @Override
    public ErrorRule errorRule() {
        return rule;
    }
}
