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
 * Stores workflows in the manner of Temporal's: a shard belongs to one service at a time, which starts and completes the workflows in it;
 * events come from anywhere and are buffered until the workflow is completed.
 *
 * <p><b>Fencing.</b> Whoever takes a shard over increases its range id. Every write of an owner locks the shard's row under the range id that it
 * believes in: a former owner gets a {@link dev.reservoir.dsql.error.ConditionFailedException}, and what it has not committed by then is never
 * committed. <b>No event is lost.</b> An event is added together with a change of the current execution's row, and so is the completion: two at
 * the same time conflict, and the second sees what the first has done. <b>Nothing happens twice.</b> A start carries its run id and a completion an
 * id of its own, so that each may be repeated when it is not known whether it was committed; an event may not, and is not.
 *
 * <p>Every method blocks for the database and for retries. For any number of threads.
 */
public final class WorkflowStore {
    private static final int SHARDS_AT_ONCE = 1_000;
    /** How many events a workflow may have buffered: to apply them is one transaction, which changes 3,000 rows at most. */
    public static final int EVENTS_MOST = 1_000;

    private static final int RUNNING = 1;
    private static final int COMPLETED = 2;

    private static final Fenced SHARDS = Fenced.table("shards").key("shard_id").token("range_id");
    private static final String KEY = "shard_id = ? AND namespace_id = ? AND workflow_id = ?";
    private static final String RUN = KEY + " AND run_id = ?";

    private final Transactions transactions;
    private final SnowflakeIds ids;

    /** A store on the database that these transactions are of, with ids from here. */
    public WorkflowStore(Transactions transactions, SnowflakeIds ids) {
        this.transactions = transactions;
        this.ids = ids;
    }

    /** What is the current run of a workflow, as its row says. */
    private record Current(UUID runId, int state, long buffered) {}

    /** The current run, and by whom it was last written. */
    private record Versioned(Current current, long lastWriteVersion) {}

    /** Makes the tables that are missing. */
    public void createSchema() throws SQLException {
        WorkflowSchema.create(transactions);
    }

    /** Makes the shards 0 to so many minus one that are missing, owned by nobody. */
    public void createShards(int count) throws SQLException {
        // A transaction may change 3,000 rows.
        for (int from = 0; from < count; from += SHARDS_AT_ONCE) {
            int begin = from;
            int end = Math.min(count, from + SHARDS_AT_ONCE);
            transactions.idempotent().execute("workflows.createShards", tx -> {
                for (int shard = begin; shard < end; shard++) {
                    run(tx, "INSERT INTO shards VALUES (?, 0, '') ON CONFLICT DO NOTHING", List.of(shard));
                }
            });
        }
    }

    /** Takes a shard over, whoever owns it. If two services take it at the same time, the second to commit owns it. */
    public Shard acquireShard(int shardId, String owner) throws SQLException {
        return acquireShards(Set.of(shardId), owner).get(0);
    }

    /**
     * Takes shards over, whoever owns them, by one statement.
     *
     * @throws WorkflowRefusedException if one of them does not exist; then none is taken over
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
     * Starts a workflow.
     *
     * @param runId made by the caller; the same one again is the same start
     * @throws dev.reservoir.dsql.error.ConditionFailedException if the shard belongs to another owner now
     * @throws WorkflowRefusedException if it runs already
     */
    public void start(Shard shard, WorkflowKey key, UUID runId) throws SQLException {
        requireSame(shard, key);
        transactions.idempotent().execute("workflows.start", tx -> {
            SHARDS.lock(tx, List.of(shard.shardId()), shard.rangeId());
            Current current = lockCurrent(tx, key).orElse(null);
            if (current != null && current.runId.equals(runId)) {
                return;
            }
            if (current != null && current.state == RUNNING) {
                throw new WorkflowRefusedException(key + ": runs already, as " + current.runId);
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
     * Adds an event to a workflow that runs. May be called by anybody, not only by the shard's owner.
     *
     * @return the event's id
     * @throws WorkflowRefusedException if it does not run, or has too many events already
     */
    public long signal(WorkflowKey key, String data) throws SQLException {
        long id = ids.next();
        transactions.execute("workflows.signal", tx -> {
            Versioned found = lockCurrentAndReadVersion(tx, key)
                    .filter(one -> one.current.state == RUNNING)
                    .orElseThrow(() -> new WorkflowRefusedException(key + ": does not run"));
            if (found.current.buffered >= EVENTS_MOST) {
                throw new WorkflowRefusedException(
                        key + ": has " + found.current.buffered + " events; allowed: up to " + EVENTS_MOST);
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
     * Applies all buffered events and completes the workflow.
     *
     * @return how many events were applied
     * @throws dev.reservoir.dsql.error.ConditionFailedException if the shard belongs to another owner now
     * @throws WorkflowRefusedException if this run does not run
     */
    public long complete(Shard shard, WorkflowKey key, UUID runId) throws SQLException {
        requireSame(shard, key);
        long completionId = ids.next();
        return transactions.idempotent().run("workflows.complete", tx -> {
            SHARDS.lock(tx, List.of(shard.shardId()), shard.rangeId());
            Current current = lockCurrent(tx, key).orElse(null);
            if (current == null || !current.runId.equals(runId) || current.state != RUNNING) {
                // Another run may have begun since this one was completed by an attempt of unknown end.
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

    /** Whoever holds one shard is not to write to another's workflows. */
    private static void requireSame(Shard shard, WorkflowKey key) {
        if (shard.shardId() != key.shardId()) {
            throw new IllegalArgumentException(
                    "shard is " + shard.shardId() + "; allowed: that of " + key + ", " + key.shardId());
        }
    }

    /** Whether this very completion was committed although nobody said so. */
    private static long completedBefore(Connection tx, WorkflowKey key, UUID runId, long completionId)
            throws SQLException {
        String sql = "SELECT applied_events, completion_id FROM executions WHERE " + RUN;
        return Locks.one(
                        tx,
                        sql,
                        key.columns(runId),
                        row -> row.getLong(2) == completionId ? Optional.of(row.getLong(1)) : Optional.<Long>empty())
                .flatMap(found -> found)
                .orElseThrow(() -> new WorkflowRefusedException(key + ": " + runId + " does not run"));
    }

    /** A run of a workflow, or nothing. */
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

    /** The split read: elsewhere a join of both tables that locks, here a lock of the one and a plain read of the other. */
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
