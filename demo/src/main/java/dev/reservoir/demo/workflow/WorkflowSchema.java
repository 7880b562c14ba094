package dev.reservoir.demo.workflow;

import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.error.ErrorKind;
import dev.reservoir.dsql.tx.Transactions;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Creates the tables. They use only features that Aurora DSQL has. The application makes all keys, which are UUIDs,
 * texts and numbers. There is no serial column, check, foreign key or default, and each statement is a separate
 * transaction.
 */
final class WorkflowSchema {
    private static final List<String> TABLES = List.of("""
            CREATE TABLE IF NOT EXISTS shards (
              shard_id INTEGER NOT NULL,
              range_id BIGINT NOT NULL,
              owner VARCHAR(255) NOT NULL,
              PRIMARY KEY (shard_id))""", """
            CREATE TABLE IF NOT EXISTS executions (
              shard_id INTEGER NOT NULL,
              namespace_id UUID NOT NULL,
              workflow_id VARCHAR(255) NOT NULL,
              run_id UUID NOT NULL,
              state INTEGER NOT NULL,
              last_write_version BIGINT NOT NULL,
              applied_events BIGINT NOT NULL,
              completion_id BIGINT NOT NULL,
              PRIMARY KEY (shard_id, namespace_id, workflow_id, run_id))""", """
            CREATE TABLE IF NOT EXISTS current_executions (
              shard_id INTEGER NOT NULL,
              namespace_id UUID NOT NULL,
              workflow_id VARCHAR(255) NOT NULL,
              run_id UUID NOT NULL,
              state INTEGER NOT NULL,
              buffered BIGINT NOT NULL,
              PRIMARY KEY (shard_id, namespace_id, workflow_id))""", """
            CREATE TABLE IF NOT EXISTS buffered_events (
              shard_id INTEGER NOT NULL,
              namespace_id UUID NOT NULL,
              workflow_id VARCHAR(255) NOT NULL,
              run_id UUID NOT NULL,
              id BIGINT NOT NULL,
              version BIGINT NOT NULL,
              data VARCHAR(1000) NOT NULL,
              PRIMARY KEY (shard_id, namespace_id, workflow_id, run_id, id))""");

    private static final String INDEX = "IF NOT EXISTS executions_by_state ON executions (namespace_id, state)";

    /** The SQLSTATE that PostgreSQL reports for unknown words. */
    private static final String SYNTAX_ERROR = "42601";

    private WorkflowSchema() {}

    static void create(Transactions transactions) throws SQLException {
        for (String table : TABLES) {
            execute(transactions, table);
        }
        try {
            execute(transactions, "CREATE INDEX ASYNC " + INDEX);
        } catch (SQLException e) {
            // PostgreSQL itself has no ASYNC.
            boolean unknown = SYNTAX_ERROR.equals(DsqlErrors.of(e).sqlState());
            if (!unknown && DsqlErrors.classify(e) != ErrorKind.UNSUPPORTED) {
                throw e;
            }
            execute(transactions, "CREATE INDEX " + INDEX);
        }
    }

    /** Runs a statement, with retries. Each statement has {@code IF NOT EXISTS}, so it may run twice. */
    private static void execute(Transactions transactions, String sql) throws SQLException {
        transactions.idempotent().execute("workflows.schema", tx -> {
            try (Statement statement = tx.createStatement()) {
                statement.execute(sql);
            }
        });
    }
}
