package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.testserver.FakeTdsServer;
import dev.reservoir.remote.testserver.FirebirdServer;
import dev.reservoir.remote.testserver.MariaDbServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The bytes of a connection are counted with each driver that accepts a socket factory. */
class TrafficTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Longer than all that a driver sends and reads on its own, so that a wrong count stands out. */
    private static final long LENGTH = 8_000;

    /** More than a driver adds to the text, and less than it would add if it sent or read the text twice. */
    private static final long SLACK = 6_000;

    /** Firebird sends a text in UTF-8 with room for the longest characters. */
    private static final int FIREBIRD_BYTES_PER_CHARACTER = 4;

    private static final class Traffic implements SessionObserver {
        final AtomicLong sent = new AtomicLong();
        final AtomicLong received = new AtomicLong();
        final AtomicLong statements = new AtomicLong();
        volatile boolean counted;
        volatile boolean uncounted;

        @Override
        public void executed(long nanos) {
            statements.incrementAndGet();
        }

        @Override
        public void sent(long bytes) {
            sent.addAndGet(bytes);
        }

        @Override
        public void received(long bytes) {
            received.addAndGet(bytes);
        }

        @Override
        public void openedCounted() {
            counted = true;
        }

        @Override
        public void openedUncounted() {
            uncounted = true;
        }
    }

    private static AdapterSession connect(ServerDefinition.Builder builder, String user, String password, Traffic to)
            throws Exception {
        ServerDefinition server = builder.host("127.0.0.1").build();
        UserMapping mapping = UserMapping.builder(server.name(), "tester")
                .remoteUser(user)
                .remotePassword(Secret.literal(password))
                .build();
        return Adapters.installed().find(server).connect(server, mapping, PATIENCE, to);
    }

    /** Sends a long text and reads it back. */
    private static void echo(AdapterSession session, Traffic traffic, String rest, int bytesPerCharacter)
            throws Exception {
        long sent = traffic.sent.get();
        long received = traffic.received.get();
        String text = "x".repeat((int) LENGTH);
        assertThat(session.query("SELECT '" + text + "'" + rest).single()).isEqualTo(text);
        assertThat(traffic.sent.get() - sent).as("sent").isBetween(LENGTH, LENGTH + SLACK);
        assertThat(traffic.received.get() - received)
                .as("received")
                .isBetween(LENGTH, LENGTH * bytesPerCharacter + SLACK);
        assertThat(traffic.statements).hasValue(1);
        assertThat(traffic.counted).isTrue();
        assertThat(traffic.uncounted).isFalse();
    }

    private static ServerDefinition.Builder server(RemoteDatabaseType type, int port, String database) {
        return ServerDefinition.builder("counted", type).port(port).database(database);
    }

    @Test
    void mariaDbsDriverIsCountedWithAndWithoutTlsAndConnectorJIsNot() throws Exception {
        MariaDbServer.assumeAvailable();
        try (MariaDbServer mariaDb = MariaDbServer.start()) {
            for (SslMode mode : new SslMode[] {SslMode.DISABLE, SslMode.REQUIRE}) {
                Traffic traffic = new Traffic();
                ServerDefinition.Builder server = server(RemoteDatabaseType.MYSQL, mariaDb.port(), "test")
                        .sslMode(mode)
                        .driverOption("name", "mariadb");
                try (AdapterSession session = connect(server, MariaDbServer.USER, MariaDbServer.PASSWORD, traffic)) {
                    echo(session, traffic, "", 1);
                }
            }
            Traffic traffic = new Traffic();
            ServerDefinition.Builder server =
                    server(RemoteDatabaseType.MYSQL, mariaDb.port(), "test").driverOption("name", "mysql");
            try (AdapterSession session = connect(server, MariaDbServer.USER, MariaDbServer.PASSWORD, traffic)) {
                session.query("SELECT 1");
            }
            assertThat(traffic.uncounted).isTrue();
            assertThat(traffic.counted).isFalse();
            assertThat(traffic.statements).hasValue(1);
        }
    }

    @Test
    void firebirdsDriverIsCounted() throws Exception {
        FirebirdServer.assumeInstalled();
        try (FirebirdServer firebird = FirebirdServer.start()) {
            Traffic traffic = new Traffic();
            ServerDefinition.Builder server =
                    server(RemoteDatabaseType.FIREBIRD, firebird.port(), firebird.createDatabase("traffic"));
            try (AdapterSession session = connect(server, FirebirdServer.USER, FirebirdServer.PASSWORD, traffic)) {
                echo(session, traffic, " FROM RDB$DATABASE", FIREBIRD_BYTES_PER_CHARACTER);
            }
        }
    }

    @Test
    void microsoftsDriverIsCounted() throws Exception {
        try (FakeTdsServer tds = new FakeTdsServer()) {
            Traffic traffic = new Traffic();
            ServerDefinition.Builder server =
                    server(RemoteDatabaseType.MSSQL, tds.port(), "db").sslMode(SslMode.DISABLE);
            try (AdapterSession session = connect(server, "app", "a-password", traffic)) {
                long sent = traffic.sent.get();
                session.query("SELECT 1");
                assertThat(traffic.sent.get() - sent).isPositive();
            }
            assertThat(traffic.received.get()).isPositive();
            assertThat(traffic.counted).isTrue();
            assertThat(traffic.uncounted).isFalse();
        }
    }
}
