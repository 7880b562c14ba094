package dev.reservoir.demo.fleet;

import dev.reservoir.demo.workflow.WorkflowStore;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.DsqlDataSourceBuilder;
import dev.reservoir.dsql.DsqlTokens;
import dev.reservoir.dsql.id.NodeIdSource;
import dev.reservoir.dsql.id.SnowflakeIds;
import dev.reservoir.dsql.tx.Transactions;
import dev.reservoir.emulator.Counters;
import dev.reservoir.emulator.DsqlEmulator;
import dev.reservoir.emulator.TokenCheck;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** The database of one side: an emulated cluster with the workflow schema. It verifies the signatures of tokens. */
public final class EmulatedDatabase implements AutoCloseable {
    private static final String USER = "admin";
    private static final Duration TOKEN_DURATION = Duration.ofMinutes(15);

    private final String accessKey = "demo" + UUID.randomUUID().toString().substring(0, 8);
    private final String secret = UUID.randomUUID().toString();
    private final DsqlEmulator emulator;
    private Counters atStart;

    private EmulatedDatabase() {
        // The program closes the emulator, after everything that uses it.
        emulator = DsqlEmulator.builder()
                .httpPort(-1)
                .closesAtExit(false)
                .tokens(TokenCheck.signature(Map.of(accessKey, secret)))
                .start();
        atStart = emulator.counters();
    }

    /** Starts the database and creates the schema. The connects for that are not counted. Blocks for a few seconds. */
    public static EmulatedDatabase start() throws SQLException {
        EmulatedDatabase database = new EmulatedDatabase();
        try {
            database.prepare();
            return database;
        } catch (SQLException | RuntimeException | Error e) {
            database.close();
            throw e;
        }
    }

    private void prepare() throws SQLException {
        try (DsqlDataSource once =
                builder("demo-schema-" + accessKey).maxOpen(1).build()) {
            WorkflowStore store = new WorkflowStore(Transactions.on(once), SnowflakeIds.of(NodeIdSource.fixed(0)));
            store.createSchema();
            store.createShards(Scale.SERVICES * Scale.SHARDS_PER_SERVICE);
        }
        emulator.limits(Scale.LIMITS);
        emulator.faults().slowStatements(Scale.STATEMENT);
        emulator.faults().delayConnects(Scale.CONNECT);
        atStart = emulator.counters();
    }

    /** Returns a builder of data sources for this database. */
    DsqlDataSourceBuilder builder(String name) {
        return DsqlDataSource.builder()
                .name(name)
                .endpoint(emulator.endpoint())
                .region(Scale.REGION)
                .user(USER)
                .rootCertificate(emulator.caCertificate())
                .credentialsProvider(credentials());
    }

    DsqlTokens tokens() {
        return DsqlTokens.of(emulator.host(), Scale.REGION, USER, credentials(), TOKEN_DURATION);
    }

    private AwsCredentialsProvider credentials() {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secret));
    }

    /** Returns the driver properties that select the sockets of one life of a service. */
    static Properties socketsOf(String life) {
        Properties properties = new Properties();
        properties.setProperty("socketFactory", ServiceSockets.class.getName());
        properties.setProperty("socketFactoryArg", life);
        return properties;
    }

    /** For limits and faults. */
    public DsqlEmulator emulator() {
        return emulator;
    }

    /** Connects that the database accepted since the services began. */
    public long accepted() {
        return emulator.counters().accepted() - atStart.accepted();
    }

    /** Connects that the database refused, by reason. */
    public Refused refused() {
        Counters now = emulator.counters();
        return new Refused(now.refusedByRate(), now.refusedByCount(), now.refusedByToken());
    }

    public int open() {
        return emulator.counters().open();
    }

    @Override
    public void close() {
        emulator.close();
    }

    /**
     * The numbers of refused connects.
     *
     * @param byRate refused because of the rate limit
     * @param byCount refused because too many connections were open
     * @param byToken refused because of the token
     */
    public record Refused(long byRate, long byCount, long byToken) {
        public long total() {
            return byRate + byCount + byToken;
        }
    }
}
