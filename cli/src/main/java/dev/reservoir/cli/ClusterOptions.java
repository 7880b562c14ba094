package dev.reservoir.cli;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.core.DurationParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What all commands that look into a cluster's books have in common. */
final class ClusterOptions {
    static final String PERMITS_MODE = "DSQL_DISTRIBUTED_RATE_LIMITER_MODE";
    static final String PERMITS_RATE = "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT";
    static final String PERMITS_BURST = "DSQL_DISTRIBUTED_RATE_LIMITER_BURST";
    static final String PERMITS_WAIT = "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT";
    static final String LEASES_MODE = "DSQL_DISTRIBUTED_CONN_LEASE_MODE";
    static final String LEASES_LIMIT = "DSQL_DISTRIBUTED_CONN_LIMIT";
    static final String LEASE_TIME = "DSQL_DISTRIBUTED_CONN_LEASE_TIME";

    @Parameters(
            arity = "0..*",
            paramLabel = "ENDPOINT",
            description = "the cluster's host name, as the fleet's processes are given it")
    private List<String> endpoints = new ArrayList<>();

    @Mixin
    TableOptions tables = new TableOptions();

    @Option(
            names = "--permits",
            paramLabel = "MODE",
            description = "how new connections are counted: reservation (the default), window or off")
    private @Nullable String permits;

    @Option(
            names = "--leases",
            paramLabel = "MODE",
            description = "how open connections are counted: share (the default), counter or off")
    private @Nullable String leases;

    @Option(names = "--rate", paramLabel = "N", description = "new connections a second; default 100")
    private @Nullable String rate;

    @Option(names = "--burst", paramLabel = "N", description = "new connections at once; default 1000")
    private @Nullable String burst;

    @Option(names = "--limit", paramLabel = "N", description = "open connections; default 10000")
    private @Nullable String limit;

    @Option(
            names = "--lease-time",
            paramLabel = "D",
            description = "after which a process that does not renew is dead; the longest of the fleet's; default 60s")
    private @Nullable String leaseTime;

    /** The one endpoint that was given. */
    String endpoint() {
        if (endpoints.size() != 1) {
            throw new Misused(
                    endpoints.isEmpty()
                            ? "no endpoint given; allowed: the cluster's host name"
                            : "'" + endpoints.get(1) + "' is one endpoint too many; allowed: one");
        }
        return endpoints.get(0);
    }

    /** What the options say, and where they say nothing, the environment. */
    ClusterSettings settings(Map<String, String> environment) {
        ClusterSettings.Builder builder = ClusterSettings.builder(endpoint());
        tables.names(environment);
        Setting mode = Setting.of("--permits", permits, PERMITS_MODE, environment);
        builder.permitMode(tables.permitsTable(environment) == null ? null : permitMode(mode));
        Setting leaseMode = Setting.of("--leases", leases, LEASES_MODE, environment);
        builder.leaseMode(tables.leasesTable(environment) == null ? null : leaseMode(leaseMode));
        Setting.of("--rate", rate, PERMITS_RATE, environment).number().ifPresent(builder::ratePerSecond);
        Setting.of("--burst", burst, PERMITS_BURST, environment).whole().ifPresent(builder::burst);
        Setting.of("--limit", limit, LEASES_LIMIT, environment).whole().ifPresent(builder::limit);
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
                throw new Misused("permits and leases are both off; allowed: at least one of them");
            }
            return settings;
        } catch (IllegalArgumentException e) {
            throw new Misused(String.valueOf(e.getMessage()));
        }
    }

    static @Nullable PermitMode permitMode(Setting setting) {
        return switch (setting.or("reservation").toLowerCase(Locale.ROOT)) {
            case "reservation" -> PermitMode.RESERVATION;
            case "window" -> PermitMode.WINDOW;
            case "off" -> null;
            default -> throw setting.misused("reservation, window or off");
        };
    }

    static @Nullable LeaseMode leaseMode(Setting setting) {
        return switch (setting.or("share").toLowerCase(Locale.ROOT)) {
            case "share" -> LeaseMode.SHARE;
            case "counter" -> LeaseMode.COUNTER;
            case "off" -> null;
            default -> throw setting.misused("share, counter or off");
        };
    }

    /** A span of time that an option asks for. */
    static Duration span(String option, String text, Duration least, Duration most) {
        Duration value = DurationParser.parse(text);
        if (value == null || value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new Misused(option + " is '" + text + "'; allowed: such as 10s or 2m, at least " + least.toSeconds()
                    + "s, at most " + most.toMinutes() + "m");
        }
        return value;
    }

    /** The mode as its option says it. */
    static String name(@Nullable Enum<?> mode) {
        return mode == null ? "off" : mode.name().toLowerCase(Locale.ROOT);
    }
}
