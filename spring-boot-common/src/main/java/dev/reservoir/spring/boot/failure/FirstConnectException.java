package dev.reservoir.spring.boot.failure;

import org.jspecify.annotations.Nullable;

/** The first connect of a data source failed for a reason against which waiting does not help. Shows no secret. */
public final class FirstConnectException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String dataSource;
    private final @Nullable String url;
    private final @Nullable String user;

    /**
     * Creates an exception with the message of its cause, which has the server's words.
     *
     * @param dataSource the name of the data source
     * @param url the URL without its secrets, if there is one
     * @param user the user that logged in, if it is known
     */
    public FirstConnectException(
            String dataSource, @Nullable String url, @Nullable String user, IllegalStateException cause) {
        super(cause.getMessage(), cause);
        this.dataSource = dataSource;
        this.url = url;
        this.user = user;
    }

    String dataSource() {
        return dataSource;
    }

    @Nullable
    String url() {
        return url;
    }

    @Nullable
    String user() {
        return user;
    }
}
