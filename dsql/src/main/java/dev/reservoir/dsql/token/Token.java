package dev.reservoir.dsql.token;

import java.time.Instant;

/**
 * What to log in with for a while. {@link #toString} does not show it.
 *
 * @param secret the token itself
 * @param expires when the server stops to accept it, at the latest
 */
record Token(String secret, Instant expires) {
    @Override
    public String toString() {
        return "Token[hidden, expires=" + expires + "]";
    }
}
