package dev.reservoir.emulator.internal.postgres;

import java.util.concurrent.CompletableFuture;

/** Who a client's user is to PostgreSQL. */
public interface Roles extends AutoCloseable {

    /** The role to connect as, once it is there. Never blocks. */
    CompletableFuture<String> forUser(String user);

    @Override
    void close();

    /** The same role for everyone. */
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
