package dev.reservoir.pgwire;

import java.io.Serial;

/** Carries an error that the client gets. */
public final class PgException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final transient PgError error;

    public PgException(PgError error) {
        super(error.toString());
        this.error = error;
    }

    public PgError error() {
        return error;
    }
}
