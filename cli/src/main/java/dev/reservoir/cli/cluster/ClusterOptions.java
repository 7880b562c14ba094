package dev.reservoir.cli.cluster;

import dev.reservoir.cli.budget.ClusterAccess;
import dev.reservoir.cli.budget.LimitOptions;
import dev.reservoir.cli.budget.ModeOptions;
import dev.reservoir.cli.budget.TableOptions;
import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.Setting;
import dev.reservoir.cluster.ClusterSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The common options of all commands that read a cluster's budget. */
public final class ClusterOptions {
    static final String PERMITS_RATE = "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT";
    static final String PERMITS_BURST = "DSQL_DISTRIBUTED_RATE_LIMITER_BURST";
    static final String PERMITS_WAIT = "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT";
    static final String LEASES_LIMIT = "DSQL_DISTRIBUTED_CONN_LIMIT";
    static final String LEASE_TIME = "DSQL_DISTRIBUTED_CONN_LEASE_TIME";

    @Parameters(
            arity = "0..*",
            paramLabel = "ENDPOINT",
            description = "the cluster's host name, as the fleet's processes are given it")
    private List<String> endpoints = new ArrayList<>();

    @Mixin
    TableOptions tables = new TableOptions();

    @Mixin
    private ModeOptions modes = new ModeOptions();

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Option(
            names = "--lease-time",
            paramLabel = "D",
            description = "after this time, a process that does not renew is dead; the longest in the fleet;"
                    + " default: 60s")
    private @Nullable String leaseTime;

    /** The single endpoint on the command line. */
    String endpoint() {
        if (endpoints.size() != 1) {
            throw new MisuseException(
                    endpoints.isEmpty()
                            ? "no endpoint given; allowed: the cluster's host name"
                            : "'" + endpoints.get(1) + "' is one endpoint too many; allowed: one");
        }
        return endpoints.get(0);
    }

    /** The settings from the options. The environment supplies values that are not given as options. */
    ClusterSettings settings(Map<String, String> environment) {
        ClusterSettings.Builder builder = ClusterAccess.settings(endpoint());
        tables.names(environment);
        builder.permitMode(tables.permitsTable(environment) == null ? null : modes.permits(environment));
        builder.leaseMode(tables.leasesTable(environment) == null ? null : modes.leases(environment));
        Setting.of("--rate", limits.rate, PERMITS_RATE, environment).number().ifPresent(builder::ratePerSecond);
        Setting.of("--burst", limits.burst, PERMITS_BURST, environment).whole().ifPresent(builder::burst);
        Setting.of("--limit", limits.limit, LEASES_LIMIT, environment).whole().ifPresent(builder::limit);
        Duration time =
                Setting.of("--lease-time", leaseTime, LEASE_TIME, environment).duration();
        if (time != null) {
            builder.leaseTime(time);
        }
        Duration wait =
                Setting.of(PERMITS_WAIT, null, PERMITS_WAIT, environment).duration();
        if (wait != null) {
            builder.maxWait(wait);
        }
        try {
            ClusterSettings settings = builder.build();
            if (settings.permitMode() == null && settings.leaseMode() == null) {
                throw new MisuseException("permits and leases are both off; allowed: at least one of them");
            }
            return settings;
        } catch (IllegalArgumentException e) {
            throw new MisuseException(String.valueOf(e.getMessage()));
        }
    }
}
