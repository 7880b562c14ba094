package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.postgres.local.LocalPostgres;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A password that changes while a reservoir runs stops new connections only, and is never shown. */
class PasswordChangeTest {
    private static final String ROLE = "clerk";
    private static final String FIRST = "first-5ecret";
    private static final String SECOND = "second-5ecret";
    private static final int POOL = 4;

    private static LocalPostgres server;
    private static Backends backends;

    @BeforeAll
    static void startServer() throws IOException, SQLException {
        server = LocalPostgres.start();
        backends = Backends.of(server.url());
        backends.execute("create role " + ROLE + " login");
    }

    @AfterAll
    static void stopServer() throws IOException, SQLException {
        backends.close();
        server.close();
    }

    @BeforeEach
    void setPassword() throws SQLException {
        password(FIRST);
    }

    private static void password(String value) throws SQLException {
        backends.execute("alter role " + ROLE + " password '" + value + "'");
    }

    @Test
    void openConnectionsServeWhileNewOnesAreRefusedAndAllIsWellWhenThePasswordIsBack() throws Exception {
        String name = "password-and-back";
        ListAppender<ILoggingEvent> logged = startListening();
        try (ReservoirDataSource pool = Pools.named(name, server.urlWithoutUser())
                .username(ROLE)
                .password(FIRST)
                .maxOpen(POOL)
                .acquireTimeout(Duration.ofSeconds(1))
                .build()) {
            password(SECOND);
            try (Connection one = pool.getConnection();
                    Connection two = pool.getConnection()) {
                pool.evict(one);
                pool.evict(two);
            }
            awaitAuthenticationFailures(pool, 1);
            assertThat(pool.stats().openFailures()).containsOnlyKeys(OpenFailureReason.AUTHENTICATION);
            for (int i = 0; i < 20; i++) {
                Pools.useOnce(pool);
            }

            SQLTransientConnectionException starved = starve(pool, POOL - 2);
            assertThat(starved.getMessage())
                    .contains(
                            "the database refuses the login: 28P01 FATAL: password authentication failed for user \"clerk\" (")
                    .contains("In use 2 of 4");
            assertThat(starved.getSQLState()).isEqualTo("28P01");
            assertThat((Throwable) starved.getNextException())
                    .hasMessage("FATAL: password authentication failed for user \"clerk\"");
            assertThat(everythingIn(starved)).doesNotContain(FIRST).doesNotContain(SECOND);

            password(FIRST);
            Pools.awaitReady(pool, POOL);
            assertThat(pool.toString()).doesNotContain(FIRST);
            Pools.closeAndCheck(pool, name, backends);
        } finally {
            stopListening(logged);
        }
        assertThat(logged.list)
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.getFormattedMessage()).doesNotContain(FIRST));
    }

    @Test
    void newConnectionsUseThePasswordThatTheCredentialsSupplyAtThatTime() throws Exception {
        String name = "password-supplied";
        AtomicReference<String> known = new AtomicReference<>(FIRST);
        try (ReservoirDataSource pool = Pools.named(name, server.urlWithoutUser())
                .credentials(() -> CompletableFuture.completedFuture(new Credentials.Credential(ROLE, known.get())))
                .maxOpen(POOL)
                .build()) {
            password(SECOND);
            pool.flush();
            awaitAuthenticationFailures(pool, 1);
            assertThat(pool.stats().open()).isZero();

            known.set(SECOND);
            Pools.useOnce(pool);
            Pools.awaitReady(pool, POOL);
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    private static void awaitAuthenticationFailures(ReservoirDataSource pool, long atLeast) {
        Awaitility.await("refused logins")
                .atMost(Pools.PATIENCE)
                .until(() -> pool.stats().openFailures().getOrDefault(OpenFailureReason.AUTHENTICATION, 0L) >= atLeast);
    }

    /** Acquires all available connections, and then tries one more. */
    private static SQLTransientConnectionException starve(ReservoirDataSource pool, int available) throws SQLException {
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 0; i < available; i++) {
                taken.add(pool.getConnection());
            }
            return catchThrowableOfType(SQLTransientConnectionException.class, pool::getConnection);
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    private static String everythingIn(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static ListAppender<ILoggingEvent> startListening() {
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.reservoir");
        logger.setLevel(Level.TRACE);
        logger.setAdditive(false);
        logger.addAppender(appender);
        return appender;
    }

    private static void stopListening(ListAppender<ILoggingEvent> appender) {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.reservoir");
        logger.detachAppender(appender);
        logger.setAdditive(true);
        logger.setLevel(null);
    }
}
