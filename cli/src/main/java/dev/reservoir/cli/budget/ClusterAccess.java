package dev.reservoir.cli.budget;

import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspection;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.dynamodb.store.DsqlHosts;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoStore;
import java.net.URI;
import java.time.Clock;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Gives access to a cluster's budget on DynamoDB. */
public final class ClusterAccess implements AutoCloseable {
    /** Keeps Netty from using Unsafe. Newer JDKs warn about it, and these few calls need not be fast. */
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

    /** Opens access to the budget. Reads nothing yet and does not block. */
    public static ClusterAccess open(ClusterSettings settings, TableOptions tables, Map<String, String> environment) {
        return new ClusterAccess(
                client(tables, environment, settings.endpoint()),
                settings,
                tables.permitsTable(environment),
                tables.leasesTable(environment));
    }

    /** The settings of the cluster's budget, with the names that the fleet uses for it and all defaults. */
    public static ClusterSettings.Builder settings(String endpoint) {
        return DsqlHosts.settings(endpoint);
    }

    public static DynamoClient client(TableOptions tables, Map<String, String> environment, String endpoint) {
        URI url = tables.endpointUrl(environment);
        String given = tables.region(environment);
        // Same order as in the library.
        String region = given == null && url == null ? DsqlHosts.regionOf(endpoint) : given;
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

    /** Runs a question on the stored budget. Blocks until DynamoDB has answered. */
    public <T> T ask(Function<ClusterInspection, T> question) {
        return asked(() -> question.apply(inspection));
    }

    /**
     * Runs a request. Turns an error of DynamoDB into one line that says what to do. Blocks as long as the request
     * does.
     */
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
