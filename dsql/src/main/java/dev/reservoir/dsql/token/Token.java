package dev.reservoir.dsql.token;

import java.time.Instant;

/**
 * A token to log in with for a limited time. {@link #toString} never shows it.
 *
 * @param secret the token itself
 * @param expires the latest time at which the server accepts it
 */
record Token(String secret, Instant expires) {
    @Override
    public String toString() {
        return "Token[hidden, expires=" + expires + "]";
    }
}
