package dev.reservoir.cli.budget;

import dev.reservoir.cli.console.Setting;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the modes in which a fleet counts. The environment supplies values that are not given as options. */
public final class ModeOptions {
    static final String PERMITS_MODE = "DSQL_DISTRIBUTED_RATE_LIMITER_MODE";
    static final String LEASES_MODE = "DSQL_DISTRIBUTED_CONN_LEASE_MODE";

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

    /** The mode in which new connections are counted; null if they are not counted. */
    @Nullable
    public PermitMode permits(Map<String, String> environment) {
        String mode =
                Setting.of("--permits", permits, PERMITS_MODE, environment).oneOf("reservation", "window", "off");
        return mode.equals("off") ? null : PermitMode.valueOf(mode.toUpperCase(Locale.ROOT));
    }

    /** The mode in which open connections are counted; null if they are not counted. */
    @Nullable
    public LeaseMode leases(Map<String, String> environment) {
        String mode = Setting.of("--leases", leases, LEASES_MODE, environment).oneOf("share", "counter", "off");
        return mode.equals("off") ? null : LeaseMode.valueOf(mode.toUpperCase(Locale.ROOT));
    }

    /** The name of a mode, as its option spells it. */
    public static String name(@Nullable Enum<?> mode) {
        return mode == null ? "off" : mode.name().toLowerCase(Locale.ROOT);
    }
}
