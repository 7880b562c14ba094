package dev.reservoir.core.spi;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Supplies the user name and the secret for the next connect. Never blocks. */
public interface Credentials {

    /**
     * The credential to log in with now. A failure is reported as {@code token_provider}. Ready connections stay in
     * service.
     */
    CompletionStage<Credential> current();

    /**
     * Reports that the server did not accept this credential. A source whose secrets expire can then create a new one.
     * Must not block.
     */
    default void refused(Credential credential) {}

    /**
     * A user name and a secret. {@link #toString} shows neither.
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
