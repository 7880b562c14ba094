package dev.reservoir.cli.budget;

import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.Setting;
import dev.reservoir.core.util.BooleanParser;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the names of the tables and for their location. */
public final class TableOptions {
    static final String PERMITS = "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE";
    static final String LEASES = "DSQL_DISTRIBUTED_CONN_LEASE_TABLE";
    private static final String PERMITS_ON = "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED";
    private static final String LEASES_ON = "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED";
    private static final String URL = "DSQL_DISTRIBUTED_ENDPOINT_URL";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{3,255}");
    private static final Pattern REGION = Pattern.compile("[a-z]{2,}(-[a-z]+)+-\\d+");

    @Option(names = "--table", paramLabel = "NAME", description = "the table of permits and leases, if they share one")
    private @Nullable String table;

    @Option(
            names = "--permits-table",
            paramLabel = "NAME",
            description = "the table of permits; default: the variable " + PERMITS)
    private @Nullable String permitsTable;

    @Option(
            names = "--leases-table",
            paramLabel = "NAME",
            description = "the table of leases; default: the variable " + LEASES)
    private @Nullable String leasesTable;

    @Option(
            names = "--region",
            paramLabel = "REGION",
            description =
                    "the tables' region; default: AWS_REGION, the region of ENDPOINT, or as the AWS tools find it")
    private @Nullable String region;

    @Option(
            names = "--endpoint-url",
            paramLabel = "URL",
            description = "another address of DynamoDB, such as http://localhost:8000")
    private @Nullable String endpointUrl;

    /** The name of the table of permits; null if there is none. */
    @Nullable
    public String permitsTable(Map<String, String> environment) {
        return name(pick("--permits-table", permitsTable, leasesTable, PERMITS, PERMITS_ON, environment));
    }

    /** The name of the table of leases; null if there is none. */
    @Nullable
    public String leasesTable(Map<String, String> environment) {
        return name(pick("--leases-table", leasesTable, permitsTable, LEASES, LEASES_ON, environment));
    }

    /**
     * Picks the source of a table's name. A table named on the command line rules out the other table from the
     * environment. A variable that turns the feature off rules out the variable with its table, but not an option.
     */
    private Setting pick(
            String option,
            @Nullable String given,
            @Nullable String other,
            String variable,
            String isOn,
            Map<String, String> environment) {
        if (table != null) {
            if (given != null) {
                throw new MisuseException("--table and " + option + " exclude each other");
            }
            return new Setting("--table", table);
        }
        boolean isOff = Boolean.FALSE.equals(BooleanParser.parse(environment.getOrDefault(isOn, "")));
        return given == null && (other != null || isOff)
                ? new Setting(option, null)
                : Setting.of(option, given, variable, environment);
    }

    private static @Nullable String name(Setting setting) {
        return setting.value() == null ? null : checked(setting);
    }

    static String checked(Setting setting) {
        String value = setting.or("");
        if (!NAME.matcher(value).matches()) {
            throw setting.misused("3 to 255 letters, digits and _ . -");
        }
        return value;
    }

    /** Whether an option names a table. */
    boolean areNamed() {
        return table != null || permitsTable != null || leasesTable != null;
    }

    /** The names of all tables, each once, at least one. */
    public Set<String> names(Map<String, String> environment) {
        Set<String> names = new LinkedHashSet<>();
        String permits = permitsTable(environment);
        String leases = leasesTable(environment);
        if (permits != null) {
            names.add(permits);
        }
        if (leases != null) {
            names.add(leases);
        }
        if (names.isEmpty()) {
            throw new MisuseException(
                    "no table given; allowed: --table NAME, or --permits-table and --leases-table, or the variables "
                            + PERMITS + " and " + LEASES);
        }
        return names;
    }

    /** The region from the option or the environment; null if neither is given. */
    @Nullable
    public String region(Map<String, String> environment) {
        String variable = environment.getOrDefault("AWS_REGION", "").isBlank() ? "REGION" : "AWS_REGION";
        Setting given = Setting.of("--region", region, variable, environment);
        return given.value() == null ? null : checkedRegion(given);
    }

    private static String checkedRegion(Setting setting) {
        String value = setting.or("");
        if (!REGION.matcher(value).matches()) {
            throw setting.misused("such as eu-west-1");
        }
        return value;
    }

    /** The address of DynamoDB from the option or the environment; null for the AWS default. */
    @Nullable
    URI endpointUrl(Map<String, String> environment) {
        Setting given = Setting.of("--endpoint-url", endpointUrl, URL, environment);
        if (given.value() == null) {
            return null;
        }
        try {
            URI url = new URI(given.value());
            boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (web && url.getHost() != null && url.getRawUserInfo() == null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // The end of the method reports it.
        }
        String shown = given.value().contains("@") ? "***" : given.value();
        throw new Setting(given.name(), shown).misused("such as http://localhost:8000");
    }
}
