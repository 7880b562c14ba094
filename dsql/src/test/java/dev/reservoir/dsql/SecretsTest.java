package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import dev.reservoir.dsql.DsqlDataSource.Mode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** No token and no secret in anything that is logged at any level by anybody, thrown, or shown. */
class SecretsTest {
    private final Queue<String> written = new ConcurrentLinkedQueue<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final java.util.logging.Logger julRoot = LogManager.getLogManager().getLogger("");
    private final java.util.logging.Logger driver = java.util.logging.Logger.getLogger("org.postgresql");
    private final java.util.logging.Level julBefore = julRoot.getLevel();
    private final List<Handler> julHandlers = List.of(julRoot.getHandlers());

    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            written.add(event.getFormattedMessage());
            if (event.getThrowableProxy() != null) {
                written.add(ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
        }
    };
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            written.add(new SimpleFormatter().format(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void hearEverything() {
        appender.setContext(root.getLoggerContext());
        appender.start();
        root.addAppender(appender);
        root.getAppender("stdout").addFilter(deaf());
        root.setLevel(Level.TRACE);
        julHandlers.forEach(julRoot::removeHandler);
        julRoot.addHandler(handler);
        julRoot.setLevel(java.util.logging.Level.ALL);
        driver.setLevel(java.util.logging.Level.ALL);
    }

    private static ch.qos.logback.core.filter.Filter<ILoggingEvent> deaf() {
        return new ch.qos.logback.core.filter.Filter<>() {
            @Override
            public ch.qos.logback.core.spi.FilterReply decide(ILoggingEvent event) {
                return ch.qos.logback.core.spi.FilterReply.DENY;
            }
        };
    }

    @AfterEach
    void hearNothingMore() {
        root.setLevel(Level.WARN);
        root.detachAppender(appender);
        root.getAppender("stdout").clearAllFilters();
        julRoot.removeHandler(handler);
        julHandlers.forEach(julRoot::addHandler);
        julRoot.setLevel(julBefore);
        driver.setLevel(null);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aTokenIsNowhereToBeSeen(Mode mode) throws SQLException {
        List<String> tokens = new ArrayList<>();
        List<Throwable> thrown = new ArrayList<>();
        try (TestCluster cluster = TestCluster.stub();
                DsqlDataSource dataSource = cluster.builder()
                        .mode(mode)
                        .maxOpen(2)
                        .reservoir(b -> b.acquireTimeout(Duration.ofMillis(300)))
                        .hikari(c -> c.setConnectionTimeout(300))
                        .build()) {
            tokens.add(secret(dataSource));
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("select 1");
                written.add(connection.toString() + connection.getMetaData().getURL());
            }
            cluster.faults().refuseTokens(true);
            cluster.faults().dropShare(1);
            for (int i = 0; i < 4; i++) {
                thrown.add(catchThrowable(() -> {
                    try (Connection connection = dataSource.getConnection();
                            Statement statement = connection.createStatement()) {
                        statement.execute("select 1");
                    }
                }));
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> dataSource.tokens().stats().made() >= 2);
            tokens.add(secret(dataSource));
            written.add(dataSource + " " + dataSource.tokens() + " " + dataSource.metrics());
        }
        for (Throwable error : thrown) {
            if (error != null) {
                StringWriter trace = new StringWriter();
                error.printStackTrace(new PrintWriter(trace));
                written.add(trace.toString());
            }
        }
        assertThat(thrown).anyMatch(error -> error != null);
        assertThat(written).as("the driver was heard").anyMatch(line -> line.contains("Password("));
        assertThat(written).as("the SDK was heard").anyMatch(line -> line.contains("AWS4 String to sign"));
        List<String> secrets = new ArrayList<>(List.of(TestCluster.SECRET, "X-Amz-Signature="));
        for (String token : tokens) {
            secrets.add(token);
            secrets.add(token.substring(token.indexOf("X-Amz-Signature=") + "X-Amz-Signature=".length()));
        }
        for (String secret : secrets) {
            assertThat(written.stream().filter(line -> line.contains(secret))).isEmpty();
        }
    }

    private static String secret(DsqlDataSource dataSource) {
        return dataSource.tokens().current().toCompletableFuture().join().secret();
    }
}
