package dev.reservoir.core.spi;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Where an opener gets the name and the secret for the next connect. Never blocks. */
public interface Credentials {

    /** What to log in with now. A failure is reported as {@code token_provider} and leaves ready connections serving. */
    CompletionStage<Credential> current();

    /**
     * Told that the server did not accept this one, so that a source whose secrets expire can make the next one anew. Must not
     * block.
     */
    default void refused(Credential credential) {}

    /**
     * A name and a secret. {@link #toString} shows neither.
     *
     * @param user the user, or null if the connector knows it
     * @param secret the password or token, or null if none is needed
     */
    record Credential(@Nullable String user, @Nullable String secret) {
        @Override
        public String toString() {
            return "Credential[hidden]";
        }
    }
}
