package dev.reservoir.spring.boot.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a first connect that failed, with the server's words, the URL and the user. */
public final class FirstConnectFailureAnalyzer extends AbstractFailureAnalyzer<FirstConnectException> {

    /** Spring Boot calls this constructor. */
    public FirstConnectFailureAnalyzer() {}

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, FirstConnectException cause) {
        String description = "Reservoir could not open the first connection of the data source '" + cause.dataSource()
                + "':\n\n    " + cause.getMessage() + "\n\n    URL: "
                + (cause.url() == null ? "none; a data source class is configured" : cause.url()) + "\n    User: "
                + (cause.user() == null ? "none is configured" : cause.user());
        return new FailureAnalysis(
                description,
                "Check host, database, user and password in spring.datasource.url, spring.datasource.username and"
                        + " spring.datasource.password. To start without a database, set"
                        + " spring.datasource.reservoir.fail-fast to false and"
                        + " spring.datasource.reservoir.initial-fill-timeout to 0.",
                cause);
    }
}
