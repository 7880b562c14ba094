package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.TransactionState;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** The transaction of one session, if there is one. */
final class SessionTransaction {
    /** Bounds the savepoints of a transaction. A caller that needs more has lost count. */
    private static final int SAVEPOINTS_MAX = 1_000;

    private final SessionCalls calls;
    private final Map<String, Savepoint> savepoints = new HashMap<>();

    SessionTransaction(SessionCalls calls) {
        this.calls = calls;
    }

    TransactionState state() throws RemoteException {
        return calls.call(calls::transactionState);
    }

    void begin() throws RemoteException {
        if (state() != TransactionState.NONE) {
            throw new RemoteException(RemoteErrorCode.TRANSACTION_ABORTED, "a transaction is open already");
        }
        calls.run(() -> calls.connection().setAutoCommit(false));
    }

    void commit() throws RemoteException {
        TransactionState state = state();
        if (state == TransactionState.NONE) {
            throw new RemoteException(RemoteErrorCode.TRANSACTION_ABORTED, "there is no transaction to commit");
        }
        if (state == TransactionState.ABORTED) {
            rollback();
            throw new RemoteException(
                    RemoteErrorCode.TRANSACTION_ABORTED, "the transaction was aborted by an error and is rolled back");
        }
        savepoints.clear();
        calls.run(() -> {
            if (calls.connection().getAutoCommit()) {
                execute("COMMIT");
            } else {
                calls.connection().commit();
                calls.connection().setAutoCommit(true);
            }
        });
    }

    /** Rolls back, if there is something to roll back, and returns to auto-commit. */
    void rollback() throws RemoteException {
        savepoints.clear();
        calls.run(() -> {
            Connection connection = calls.connection();
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            } else if (calls.transactionState() != TransactionState.NONE) {
                // Somebody executed BEGIN as a statement. The driver refuses to roll that back.
                execute("ROLLBACK");
            }
        });
    }

    /** Ends a transaction that somebody began by a statement, for a driver that does not know about it. */
    void rollbackLeftover() throws RemoteException {
        String sql = calls.profile().leftoverRollback();
        if (sql != null) {
            calls.run(() -> execute(sql));
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = calls.connection().createStatement()) {
            statement.execute(sql);
        }
    }

    void savepoint(String name) throws RemoteException {
        if (savepoints.size() == SAVEPOINTS_MAX) {
            throw new RemoteException(
                    RemoteErrorCode.TRANSACTION_ABORTED,
                    "more than " + SAVEPOINTS_MAX + " savepoints in a transaction");
        }
        savepoints.put(name, calls.call(() -> calls.connection().setSavepoint(name)));
    }

    void rollbackTo(String name) throws RemoteException {
        Savepoint savepoint = named(name);
        calls.run(() -> calls.connection().rollback(savepoint));
    }

    void release(String name) throws RemoteException {
        Savepoint savepoint = named(name);
        savepoints.remove(name);
        calls.run(() -> calls.connection().releaseSavepoint(savepoint));
    }

    private Savepoint named(String name) throws RemoteException {
        Savepoint savepoint = savepoints.get(name);
        if (savepoint == null) {
            throw new RemoteException(
                    RemoteErrorCode.OBJECT_NOT_FOUND,
                    "savepoint " + name + " does not exist; there are: " + savepoints.keySet());
        }
        return savepoint;
    }
}
