package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.adapter.jdbc.JdbcAdapter;
import dev.reservoir.remote.model.RemoteDatabaseType;

/** ScratchBird, with the driver that its user brings. Its SQLStates are those of PostgreSQL. */
public final class ScratchBirdAdapter extends JdbcAdapter {
    public ScratchBirdAdapter() {
        super(RemoteDatabaseType.SCRATCHBIRD, PostgresAdapter.ERRORS, new ScratchBirdDriver());
    }
}
