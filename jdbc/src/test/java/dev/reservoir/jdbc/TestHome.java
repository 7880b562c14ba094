package dev.reservoir.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Notes what comes home, and keeps nothing ready. */
final class TestHome implements Home {
    final List<Boolean> returns = new ArrayList<>();
    final List<SQLException> brokenBy = new ArrayList<>();
    final List<Boolean> uses = new ArrayList<>();
    boolean guardWindow;
    volatile boolean severalThreads;
    ErrorRule rule = ErrorRule.standard();

    LentConnection lend(Connection raw) throws SQLException {
        return lend(new PhysicalConnection(raw));
    }

    LentConnection lend(PhysicalConnection physical) {
        return new LentConnection(physical, this, false);
    }

    LentConnection lendToPool(PhysicalConnection physical) {
        return new LentConnection(physical, this, true);
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
