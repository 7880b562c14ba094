package dev.reservoir.demo.workflow;

import dev.reservoir.dsql.id.SnowflakeIds;
import dev.reservoir.dsql.tx.Fenced;
import dev.reservoir.dsql.tx.Locks;
import dev.reservoir.dsql.tx.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Stores workflows in the way of Temporal. A shard belongs to one service at a time, and that service starts and
 * completes its workflows. Any process may send events. They are buffered until the workflow is completed.
 *
 * <p><b>Fencing.</b> A service that takes a shard over increases its range id. Every write of an owner locks the
 * shard's row and checks the range id that it expects. So a former owner gets a
 * {@link dev.reservoir.dsql.error.ConditionFailedException}, and can no longer commit anything.
 *
 * <p><b>No event is lost.</b> An event and a completion both change the row of the current execution. Two of them at
 * the same time conflict, and the second one sees the changes of the first.
 *
 * <p><b>Nothing happens twice.</b> A start carries its run id and a completion has an id of its own. So each may be
 * repeated if it is unknown whether it was committed. An event has no such protection and is never repeated in that
 * case.
 *
 * <p>Every method blocks for the database and for retries. Safe for any number of threads.
 */
public final class WorkflowStore {
    /** Most shards that one transaction creates. A transaction may change at most 3,000 rows. */
    private static final int SHARDS_AT_ONCE_MAX = 1_000;

    /** Most buffered events of a workflow. One transaction applies them all, and it may change at most 3,000 rows. */
    public static final int EVENTS_MAX = 1_000;

    private static final int RUNNING = 1;
    private static final int COMPLETED = 2;

    private static final Fenced SHARDS = Fenced.table("shards").key("shard_id").token("range_id");
    private static final String KEY = "shard_id = ? AND namespace_id = ? AND workflow_id = ?";
    private static final String RUN = KEY + " AND run_id = ?";

    private final Transactions transactions;
    private final SnowflakeIds ids;

    /** Creates a store on the database of these transactions, with ids from this generator. */
    public WorkflowStore(Transactions transactions, SnowflakeIds ids) {
        this.transactions = transactions;
        this.ids = ids;
    }

    /** The current run of a workflow, as stored in its row. */
    private record Current(UUID runId, int state, long buffered) {}

    /** The current run, and the range id of its last write. */
    private record Versioned(Current current, long lastWriteVersion) {}

    /** Creates the missing tables. Blocks for the database. */
    public void createSchema() throws SQLException {
        WorkflowSchema.create(transactions);
    }

    /** Creates the missing shards from 0 to {@code count} minus 1, without an owner. Blocks for the database. */
    public void createShards(int count) throws SQLException {
        for (int from = 0; from < count; from += SHARDS_AT_ONCE_MAX) {
            int begin = from;
            int end = Math.min(count, from + SHARDS_AT_ONCE_MAX);
            transactions.idempotent().execute("workflows.createShards", tx -> {
                for (int shard = begin; shard < end; shard++) {
                    run(tx, "INSERT INTO shards VALUES (?, 0, '') ON CONFLICT DO NOTHING", List.of(shard));
                }
            });
        }
    }

    /**
     * Takes a shard over from any owner. If two services take it at the same time, the second one to commit owns it.
     * Blocks for the database.
     */
    public Shard acquireShard(int shardId, String owner) throws SQLException {
        return acquireShards(Set.of(shardId), owner).get(0);
    }

    /**
     * Takes shards over from any owner, with one statement. Blocks for the database.
     *
     * @throws WorkflowRefusedException if one of the shards does not exist; then none is taken over
     */
    public List<Shard> acquireShards(Set<Integer> shardIds, String owner) throws SQLException {
        List<Object> arguments = new ArrayList<>(List.of(owner));
        arguments.addAll(shardIds);
        String sql = "UPDATE shards SET range_id = range_id + 1, owner = ? WHERE shard_id IN ("
                + String.join(", ", Collections.nCopies(shardIds.size(), "?")) + ") RETURNING shard_id, range_id";
        // A second run only increases the range ids once more.
        return transactions.idempotent().run("workflows.acquireShards", tx -> {
            List<Shard> taken = new ArrayList<>();
            try (PreparedStatement statement = prepare(tx, sql, arguments);
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    taken.add(new Shard(row.getInt(1), row.getLong(2)));
                }
            }
            if (taken.size() != shardIds.size()) {
                throw new WorkflowRefusedException(
                        "shards " + new TreeSet<>(shardIds) + ": only " + taken.size() + " of them exist");
            }
            return taken;
        });
    }

    /**
     * Starts a workflow. Blocks for the database.
     *
     * @param runId an id that the caller makes; a call with the same id repeats the same start
     * @throws dev.reservoir.dsql.error.ConditionFailedException if the shard belongs to another owner now
     * @throws WorkflowRefusedException if the workflow runs already
     */
    public void start(Shard shard, WorkflowKey key, UUID runId) throws SQLException {
        requireShardOf(shard, key);
        transactions.idempotent().execute("workflows.start", tx -> {
            SHARDS.lock(tx, List.of(shard.shardId()), shard.rangeId());
            Current current = lockCurrent(tx, key).orElse(null);
            if (current != null && current.runId.equals(runId)) {
                return;
            }
            if (current != null && current.state == RUNNING) {
                throw new WorkflowRefusedException(key + ": is running already, as " + current.runId);
            }
            if (current == null) {
                run(tx, "INSERT INTO current_executions VALUES (?, ?, ?, ?, " + RUNNING + ", 0)", key.columns(runId));
            } else {
                run(
                        tx,
                        "UPDATE current_executions SET run_id = ?, state = " + RUNNING + ", buffered = 0 WHERE " + KEY,
                        List.of(runId, key.shardId(), key.namespaceId(), key.workflowId()));
            }
            run(
                    tx,
                    "INSERT INTO executions VALUES (?, ?, ?, ?, " + RUNNING + ", ?, 0, 0)",
                    List.of(key.shardId(), key.namespaceId(), key.workflowId(), runId, shard.rangeId()));
        });
    }

    /**
     * Adds an event to a running workflow. Any process may call it, not only the shard's owner. Blocks for the
     * database.
     *
     * @return the id of the event
     * @throws WorkflowRefusedException if the workflow does not run, or has too many events already
     */
    public long signal(WorkflowKey key, String data) throws SQLException {
        long id = ids.next();
        transactions.execute("workflows.signal", tx -> {
            Versioned found = lockCurrentAndReadVersion(tx, key)
                    .filter(one -> one.current.state == RUNNING)
                    .orElseThrow(() -> new WorkflowRefusedException(key + ": is not running"));
            if (found.current.buffered >= EVENTS_MAX) {
                throw new WorkflowRefusedException(
                        key + ": has " + found.current.buffered + " events; allowed: up to " + EVENTS_MAX);
            }
            run(tx, "UPDATE current_executions SET buffered = buffered + 1 WHERE " + KEY, key.columns());
            run(
                    tx,
                    "INSERT INTO buffered_events VALUES (?, ?, ?, ?, ?, ?, ?)",
                    List.of(
                            key.shardId(),
                            key.namespaceId(),
                            key.workflowId(),
                            found.current.runId,
                            id,
                            found.lastWriteVersion,
                            data));
        });
        return id;
    }

    /**
     * Applies all buffered events and completes the workflow. Blocks for the database.
     *
     * @return the number of applied events
     * @throws dev.reservoir.dsql.error.ConditionFailedException if the shard belongs to another owner now
     * @throws WorkflowRefusedException if this run is not running
     */
    public long complete(Shard shard, WorkflowKey key, UUID runId) throws SQLException {
        requireShardOf(shard, key);
        long completionId = ids.next();
        return transactions.idempotent().run("workflows.complete", tx -> {
            SHARDS.lock(tx, List.of(shard.shardId()), shard.rangeId());
            Current current = lockCurrent(tx, key).orElse(null);
            if (current == null || !current.runId.equals(runId) || current.state != RUNNING) {
                // An earlier attempt with an unknown outcome may have completed this run, and another run may have
                // begun since.
                return completedBefore(tx, key, runId, completionId);
            }
            int applied = run(tx, "DELETE FROM buffered_events WHERE " + RUN, key.columns(runId));
            if (applied != current.buffered) {
                throw new IllegalStateException("bug: " + key + " has " + applied + " events, not " + current.buffered);
            }
            run(
                    tx,
                    "UPDATE current_executions SET state = " + COMPLETED + ", buffered = 0 WHERE " + KEY,
                    key.columns());
            List<Object> arguments = new ArrayList<>(List.of(shard.rangeId(), applied, completionId));
            arguments.addAll(key.columns(runId));
            run(
                    tx,
                    "UPDATE executions SET state = " + COMPLETED
                            + ", last_write_version = ?, applied_events = ?, completion_id = ? WHERE " + RUN,
                    arguments);
            return (long) applied;
        });
    }

    /** Checks that the owner of one shard does not write to the workflows of another. */
    private static void requireShardOf(Shard shard, WorkflowKey key) {
        if (shard.shardId() != key.shardId()) {
            throw new IllegalArgumentException(
                    "shard is " + shard.shardId() + "; allowed: that of " + key + ", " + key.shardId());
        }
    }

    /** Returns the events that this completion applied, if an earlier attempt committed it without confirmation. */
    private static long completedBefore(Connection tx, WorkflowKey key, UUID runId, long completionId)
            throws SQLException {
        String sql = "SELECT applied_events, completion_id FROM executions WHERE " + RUN;
        return Locks.one(
                        tx,
                        sql,
                        key.columns(runId),
                        row -> row.getLong(2) == completionId ? Optional.of(row.getLong(1)) : Optional.<Long>empty())
                .flatMap(found -> found)
                .orElseThrow(() -> new WorkflowRefusedException(key + ": run " + runId + " is not running"));
    }

    /** Returns a run of a workflow, or empty if there is none. Blocks for the database. */
    public Optional<Execution> find(WorkflowKey key, UUID runId) throws SQLException {
        return transactions.read(
                "workflows.find",
                tx -> Locks.one(
                        tx,
                        "SELECT state, last_write_version, applied_events FROM executions WHERE " + RUN,
                        key.columns(runId),
                        row -> new Execution(runId, row.getInt(1) == RUNNING, row.getLong(2), row.getLong(3))));
    }

    private static Optional<Current> lockCurrent(Connection tx, WorkflowKey key) throws SQLException {
        return Locks.forUpdate(
                tx,
                "current_executions",
                "run_id, state, buffered",
                KEY,
                key.columns(),
                row -> new Current(row.getObject(1, UUID.class), row.getInt(2), row.getLong(3)));
    }

    /**
     * A split read. Other databases can lock a join of both tables. Here one table is locked, and the other is read
     * without a lock.
     */
    private static Optional<Versioned> lockCurrentAndReadVersion(Connection tx, WorkflowKey key) throws SQLException {
        return Locks.split(
                () -> lockCurrent(tx, key),
                current -> new Versioned(
                        current,
                        Locks.one(
                                        tx,
                                        "SELECT last_write_version FROM executions WHERE " + RUN,
                                        key.columns(current.runId),
                                        row -> row.getLong(1))
                                .orElseThrow(() -> new IllegalStateException(
                                        "bug: " + key + " has no execution " + current.runId))));
    }

    private static int run(Connection tx, String sql, List<?> arguments) throws SQLException {
        try (PreparedStatement statement = prepare(tx, sql, arguments)) {
            return statement.executeUpdate();
        }
    }

    private static PreparedStatement prepare(Connection tx, String sql, List<?> arguments) throws SQLException {
        PreparedStatement statement = tx.prepareStatement(sql);
        for (int i = 0; i < arguments.size(); i++) {
            statement.setObject(i + 1, arguments.get(i));
        }
        return statement;
    }
}
