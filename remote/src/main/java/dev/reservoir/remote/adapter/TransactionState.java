package dev.reservoir.remote.adapter;

/** The state of a transaction on one remote connection. */
public enum TransactionState {
    NONE,
    ACTIVE,
    /** The server refuses every statement until a rollback (PostgreSQL, SQLState 25P02). */
    ABORTED
}
