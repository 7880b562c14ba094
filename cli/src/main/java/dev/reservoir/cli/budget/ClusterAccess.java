package dev.reservoir.cli.budget;

import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.tables.Tables;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspection;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.dynamodb.DsqlHosts;
import dev.reservoir.dynamodb.DynamoClient;
import dev.reservoir.dynamodb.DynamoStore;
import java.net.URI;
import java.time.Clock;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to a cluster's books on DynamoDB. The only class here that knows of DynamoDB beside {@link Tables}: commands
 * name no such class in a field or a method, since they are looked into whenever any command runs.
 */
public final class ClusterAccess implements AutoCloseable {
    /** A few calls need not be fast, and newer JDKs warn of what makes Netty so. */
    private static final String NETTY_WITHOUT_UNSAFE = "io.netty.noUnsafe";

    private final DynamoClient client;
    private final SystemTime time = new SystemTime("reservoir-cluster");
    private final ClusterInspection inspection;

    private ClusterAccess(
            DynamoClient client, ClusterSettings settings, @Nullable String permits, @Nullable String leases) {
        this.client = client;
        Store permitStore = permits == null ? null : store(permits);
        Store leaseStore = leases == null ? null : leases.equals(permits) ? permitStore : store(leases);
        this.inspection = new ClusterInspection(settings, permitStore, leaseStore, time, Clock.systemUTC());
    }

    private Store store(String table) {
        return new DynamoStore(client, table, Runnable::run);
    }

    /** Opens the books; nothing is read yet. */
    public static ClusterAccess open(ClusterSettings settings, TableOptions tables, Map<String, String> environment) {
        return new ClusterAccess(
                client(tables, environment, settings.endpoint()),
                settings,
                tables.permitsTable(environment),
                tables.leasesTable(environment));
    }

    /** By what name the fleet keeps the cluster's budget; null for the host. */
    public static @Nullable String clusterOf(String endpoint) {
        return DsqlHosts.clusterOf(endpoint);
    }

    public static DynamoClient client(TableOptions tables, Map<String, String> environment, String endpoint) {
        URI url = tables.endpointUrl(environment);
        String given = tables.region(environment);
        // In the order in which the library looks for it.
        String region = given == null && url == null ? DynamoClient.regionOf(endpoint) : given;
        if (System.getProperty(NETTY_WITHOUT_UNSAFE) == null) {
            System.setProperty(NETTY_WITHOUT_UNSAFE, "true");
        }
        try {
            return DynamoClient.shared(region, url);
        } catch (IllegalArgumentException noRegion) {
            throw new CommandFailedException(
                    "no region is known; give one with --region, such as eu-west-1, or in AWS_REGION");
        }
    }

    /** Looks into the books. Blocks. */
    public <T> T ask(Function<ClusterInspection, T> question) {
        return asked(() -> question.apply(inspection));
    }

    /** Makes one line that says what to do of what DynamoDB did not answer. */
    public static <T> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (StoreException e) {
            String help = e.kind() == Kind.UNAVAILABLE
                    ? "; is this the way to DynamoDB? See --region and --endpoint-url"
                    : e.kind() == Kind.THROTTLED ? "; try again in a while" : "";
            throw new CommandFailedException(e.getMessage() + help);
        }
    }

    @Override
    public void close() {
        time.close();
        client.close();
    }
}
