package dev.reservoir.dynamodb;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses the host names of Aurora DSQL clusters. A cluster has a public name, {@code <id>.dsql.<region>.on.aws}, and
 * one for PrivateLink, {@code <id>.dsql-<service>.<region>.on.aws}. Never resolves a name. No method blocks.
 */
public final class DsqlHosts {
    private static final Pattern HOST =
            Pattern.compile("([a-z0-9-]+)\\.dsql(?:-[a-z0-9-]+)?\\.([a-z0-9-]+)\\.on\\.aws\\.?(?::\\d+)?");

    private DsqlHosts() {}

    /**
     * Returns the name under which the budget of this cluster is kept: the public name, whichever of its host names is
     * given. Returns null if the endpoint is not a DSQL cluster.
     */
    public static @Nullable String clusterOf(String endpoint) {
        Matcher host = match(endpoint);
        return host.matches() ? host.group(1) + ".dsql." + host.group(2) + ".on.aws" : null;
    }

    /** Returns the region in the host name, with or without a port; null if the endpoint is not a DSQL cluster. */
    static @Nullable String regionOf(String endpoint) {
        Matcher host = match(endpoint);
        return host.matches() ? host.group(2) : null;
    }

    private static Matcher match(String endpoint) {
        return HOST.matcher(endpoint.strip().toLowerCase(Locale.ROOT));
    }
}
