package dev.reservoir.emulator.internal.postgres;

import java.util.concurrent.CompletableFuture;

/** Maps the users of clients to roles of PostgreSQL. */
public interface Roles extends AutoCloseable {

    /** The role to connect as. Completes when the role exists. Never blocks. */
    CompletableFuture<String> forUser(String user);

    @Override
    void close();

    /** The same role for every user. */
    static Roles always(String role) {
        return new Roles() {
            @Override
            public CompletableFuture<String> forUser(String user) {
                return CompletableFuture.completedFuture(role);
            }

            @Override
            public void close() {}
        };
    }
}
