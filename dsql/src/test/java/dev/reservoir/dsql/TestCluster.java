package dev.reservoir.dsql;

import dev.reservoir.emulator.Backend;
import dev.reservoir.emulator.Counters;
import dev.reservoir.emulator.DsqlEmulator;
import dev.reservoir.emulator.Faults;
import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.TokenCheck;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/**
 * An emulated cluster that checks tokens down to their signature, and data sources for it. As an extension of a test
 * class, it removes faults and limits after each test, and closes after the last.
 */
public final class TestCluster implements AutoCloseable, AfterEachCallback, AfterAllCallback {
    public static final String KEY = "AKIDEXAMPLE";
    public static final String SECRET = "wJalrXUtnFEMI-EXAMPLEKEY";
    public static final AwsCredentialsProvider GOOD =
            StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, SECRET));
    static final AwsCredentialsProvider BAD =
            StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, "not-the-secret"));

    private final DsqlEmulator emulator;

    private TestCluster(DsqlEmulator.Builder builder) {
        emulator = builder.tokens(TokenCheck.signature(Map.of(KEY, SECRET))).start();
    }

    /** One that answers by itself, without a database. */
    public static TestCluster stub() {
        return new TestCluster(DsqlEmulator.builder().backend(Backend.stub()));
    }

    /** The same under the name of a real cluster, which {@link LoopbackSockets} finds. */
    static TestCluster named(String host) {
        return new TestCluster(DsqlEmulator.builder().backend(Backend.stub()).host(host));
    }

    /** One with a real PostgreSQL behind it. */
    static TestCluster real() {
        return new TestCluster(DsqlEmulator.builder().backend(Backend.embedded()));
    }

    /**
     * A builder that trusts it and has good credentials. Its pool is small and does not wait long for the first fill.
     */
    DsqlDataSourceBuilder builder() {
        return builderWithDefaults().maxOpen(4).connectionRateLimit(1_000);
    }

    /** A builder that trusts it and has good credentials, and is told nothing else. */
    DsqlDataSourceBuilder builderWithDefaults() {
        return trusted(DsqlDataSource.builder().endpoint(emulator.endpoint()));
    }

    /** The same by the environment. */
    public DsqlDataSourceBuilder environment(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(Map.of(
                "CLUSTER_ENDPOINT",
                emulator.endpoint(),
                "DSQL_STAGGERED_STARTUP",
                "false",
                "DSQL_CONNECTION_RATE_LIMIT",
                "1000"));
        all.putAll(variables);
        return trusted(DsqlDataSource.fromEnvironment(all));
    }

    private DsqlDataSourceBuilder trusted(DsqlDataSourceBuilder builder) {
        return builder.region("us-east-1")
                .rootCertificate(emulator.caCertificate())
                .credentialsProvider(GOOD);
    }

    /** Where the cluster is reached, as the environment gives it. */
    public String endpointWithPort() {
        return emulator.endpoint();
    }

    public String endpoint() {
        return emulator.host();
    }

    int port() {
        return emulator.port();
    }

    String caCertificate() {
        return emulator.caCertificate().toString();
    }

    Counters counters() {
        return emulator.counters();
    }

    Faults faults() {
        return emulator.faults();
    }

    void limits(Limits limits) {
        emulator.limits(limits);
    }

    @Override
    public void afterEach(ExtensionContext test) {
        emulator.faults().clear();
        emulator.limits(Limits.dsql());
    }

    @Override
    public void afterAll(ExtensionContext tests) {
        close();
    }

    @Override
    public void close() {
        emulator.close();
    }
}
