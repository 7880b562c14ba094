package dev.reservoir.bench.trouble;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Median;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.bench.trouble.TroubleServer.Outage;
import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;

/**
 * The server of five users is killed and started again on the same port while they send requests: with a registry, and
 * with one HikariCP for each user. Measures the time from the moment when the server accepts connections again until
 * each user was served, and the requests that failed.
 */
public final class RegistryRecoveryPart {
    private static final int USERS = 5;
    private static final int CONNECTIONS_OF_USER = 2;
    private static final int ROUNDS = 5;
    private static final String SERVER = "pg";
    private static final String PASSWORD = "for the benchmark";
    private static final Duration ACQUIRE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration BETWEEN_REQUESTS = Duration.ofMillis(100);
    private static final Duration BEFORE = Duration.ofMillis(500);
    private static final Duration AWAY = Duration.ofSeconds(2);
    private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(30);

    private final TroubleServer server;
    private final List<Double> recoveriesNanos = new ArrayList<>();
    private long lost;

    private RegistryRecoveryPart(TroubleServer server) {
        this.server = server;
    }

    /** Takes {@code --pool}. */
    public static void run(Arguments arguments, Results results) throws Exception {
        PoolKind kind = PoolKind.byId(arguments.text("pool"));
        if (kind != PoolKind.RESERVOIR && kind != PoolKind.HIKARICP) {
            return;
        }
        try (TroubleServer server = TroubleServer.start()) {
            createUsers(server);
            List<DataSource> users = kind == PoolKind.RESERVOIR ? registry(server) : hikari(server);
            RegistryRecoveryPart part = new RegistryRecoveryPart(server);
            for (int i = 0; i < ROUNDS; i++) {
                part.round(users);
            }
            results.sheet("registry recovery", "5 users, killed, back after 2 s, 5 times", kind)
                    .lower("failed requests", Unit.COUNT, part.lost)
                    .lower("until all users are served, median", Unit.NANOS, Median.of(part.recoveriesNanos))
                    .lower("until all users are served, longest", Unit.NANOS, Collections.max(part.recoveriesNanos));
        }
    }

    private static void createUsers(TroubleServer server) throws SQLException {
        try (Connection connection = server.postgres.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < USERS; i++) {
                statement.execute("CREATE ROLE " + user(i) + " LOGIN PASSWORD '" + PASSWORD + "'");
            }
        }
    }

    private static String user(int number) {
        return "app" + number;
    }

    private static List<DataSource> registry(TroubleServer server) throws RemoteException {
        RemoteConnectionPoolRegistry registry = RemoteConnectionPoolRegistry.create("recovery");
        registry.registerServer(ServerDefinition.builder(SERVER, RemoteDatabaseType.POSTGRESQL)
                .host("127.0.0.1")
                .port(server.port())
                .database(LocalPostgres.DATABASE)
                .sslMode(SslMode.DISABLE)
                .pool(PoolConfiguration.builder()
                        .minConnections(CONNECTIONS_OF_USER)
                        .maxConnections(USERS * CONNECTIONS_OF_USER)
                        .acquireTimeout(ACQUIRE_TIMEOUT)
                        .build())
                .build());
        registry.startHealthChecker();
        List<DataSource> users = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            registry.addMapping(UserMapping.builder(SERVER, user(i))
                    .remotePassword(Secret.literal(PASSWORD))
                    .build());
            users.add(registry.dataSource(SERVER, user(i)));
        }
        return users;
    }

    private static List<DataSource> hikari(TroubleServer server) {
        List<DataSource> users = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(server.postgres.urlWithoutUser());
            config.setUsername(user(i));
            config.setPassword(PASSWORD);
            config.setMaximumPoolSize(CONNECTIONS_OF_USER);
            config.setConnectionTimeout(ACQUIRE_TIMEOUT.toMillis());
            users.add(new HikariDataSource(config));
        }
        return users;
    }

    private void round(List<DataSource> users) throws Exception {
        List<Callers> all = new ArrayList<>();
        for (DataSource user : users) {
            Callers callers = new Callers(user, "select 1");
            callers.start(CONNECTIONS_OF_USER, BETWEEN_REQUESTS);
            all.add(callers);
        }
        Thread.sleep(BEFORE.toMillis());
        long beganNanos = System.nanoTime();
        Outage outage = server.restartAfter(AWAY, RECOVERY_LIMIT);
        Polling.nanosUntil(
                outage.acceptingNanos(),
                RECOVERY_LIMIT,
                () -> all.stream().allMatch(callers -> callers.outcomes.served(outage.goneNanos()) > 0));
        Thread.sleep(BEFORE.toMillis());
        double lastNanos = 0;
        for (Callers callers : all) {
            callers.stop();
            callers.awaitAnswers(ACQUIRE_TIMEOUT.plusSeconds(1));
            lastNanos = Math.max(
                    lastNanos, callers.outcomes.nanosToFirstServed(outage.acceptingNanos(), outage.goneNanos()));
            lost += callers.outcomes.lost(beganNanos);
        }
        recoveriesNanos.add(lastNanos);
    }
}
