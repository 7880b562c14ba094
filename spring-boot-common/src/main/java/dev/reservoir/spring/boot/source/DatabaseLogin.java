package dev.reservoir.spring.boot.source;

import dev.reservoir.jdbc.log.Secrets;
import org.jspecify.annotations.Nullable;

/**
 * Where the database is and how to log in, as Spring Boot's properties or connection details say.
 *
 * @param isFromDetails whether connection details gave it, which nothing overrides
 */
public record DatabaseLogin(
        @Nullable String url,
        @Nullable String username,
        @Nullable String password,
        @Nullable String driverClassName,
        boolean isFromDetails) {

    /** The URL without its secrets. */
    public @Nullable String urlWithoutSecrets() {
        return url == null ? null : Secrets.maskUrl(url);
    }

    /** Shows no secret. */
    @Override
    public String toString() {
        return "DatabaseLogin[" + urlWithoutSecrets() + ", " + username + "]";
    }
}
