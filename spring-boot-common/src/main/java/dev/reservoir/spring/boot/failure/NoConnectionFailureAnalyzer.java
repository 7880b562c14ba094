package dev.reservoir.spring.boot.failure;

import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a start that ended because a checkout got no connection, for example that of a migration while the database
 * is away. Shows URL and user of the data source that the starter created, wherever they came from.
 */
public final class NoConnectionFailureAnalyzer extends AbstractFailureAnalyzer<SQLTransientConnectionException> {
    private final BeanFactory beans;

    /** Spring Boot calls this constructor. */
    public NoConnectionFailureAnalyzer(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, SQLTransientConnectionException cause) {
        if (!isOurs(cause)) {
            return null;
        }
        UsedLogin login = UsedLogin.find(beans);
        String url = login == null ? null : login.url();
        String user = login == null ? null : login.user();
        String description = "The application needs a connection to start, and Reservoir had none:\n\n    "
                + cause.getMessage()
                + (url == null ? "" : "\n\n    URL: " + url)
                + (user == null ? "" : "\n    User: " + user);
        return new FailureAnalysis(
                description,
                "Check that the database runs and can be reached. To fail sooner while it is away, set"
                        + " spring.datasource.reservoir.initial-fill-timeout and"
                        + " spring.datasource.reservoir.acquire-timeout to a few seconds.",
                cause);
    }

    /** Drivers and other pools throw the same type. */
    private static boolean isOurs(Throwable thrown) {
        StackTraceElement[] stack = thrown.getStackTrace();
        return stack.length > 0 && stack[0].getClassName().startsWith("dev.reservoir.");
    }
}
