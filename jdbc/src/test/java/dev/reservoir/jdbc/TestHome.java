package dev.reservoir.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Notes what comes home, and keeps nothing ready. */
final class TestHome implements Home {
    final List<Boolean> returns = new ArrayList<>();
    final List<SQLException> brokenBy = new ArrayList<>();
    boolean guardWindow;
    ErrorRule rule = ErrorRule.standard();

    LentConnection lend(Connection raw) throws SQLException {
        return lend(new PhysicalConnection(raw));
    }

    LentConnection lend(PhysicalConnection physical) {
        return new LentConnection(physical, this);
    }

    @Override
    public synchronized void giveBack(PhysicalConnection connection, boolean good) {
        returns.add(good);
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
    public ErrorRule errorRule() {
        return rule;
    }
}
