package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.ClusterSettings;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Knows the host names of Aurora DSQL clusters, and the settings that follow from them. A cluster has a public name,
 * {@code <id>.dsql.<region>.on.aws}, and one for PrivateLink, {@code <id>.dsql-<service>.<region>.on.aws}. Never
 * resolves a name. No method blocks.
 */
public final class DsqlHosts {
    private static final Pattern HOST =
            Pattern.compile("([a-z0-9-]+)\\.dsql(?:-[a-z0-9-]+)?\\.([a-z0-9-]+)\\.on\\.aws\\.?(?::\\d+)?");

    /** The beginning of the keys that Go processes use. */
    private static final String SHARED_KEY_PREFIX = "dsql";

    private static final String METRIC_PREFIX = "dsql_distributed_";

    private DsqlHosts() {}

    /** Returns the settings of the cluster's budget, which is the same for its public and its PrivateLink name. */
    public static ClusterSettings.Builder settings(String endpoint) {
        return ClusterSettings.builder(endpoint)
                .cluster(clusterOf(endpoint))
                .sharedKeyPrefix(SHARED_KEY_PREFIX)
                .metricPrefix(METRIC_PREFIX);
    }

    /**
     * Returns the name under which the budget of this cluster is kept: the public name, whichever of its host names is
     * given. Returns null if the endpoint is not a DSQL cluster.
     */
    static @Nullable String clusterOf(String endpoint) {
        Matcher host = match(endpoint);
        return host.matches() ? host.group(1) + ".dsql." + host.group(2) + ".on.aws" : null;
    }

    /** Returns the region in the host name, with or without a port; null if the endpoint is not a DSQL cluster. */
    public static @Nullable String regionOf(String endpoint) {
        Matcher host = match(endpoint);
        return host.matches() ? host.group(2) : null;
    }

    private static Matcher match(String endpoint) {
        return HOST.matcher(endpoint.strip().toLowerCase(Locale.ROOT));
    }
}
