package dev.reservoir.cluster;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.util.Checks;
import dev.reservoir.core.util.Text;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The settings of a cluster budget. Immutable. {@link Builder#build} rejects invalid values. */
public final class ClusterSettings {
    private static final int EXPECTED_PROCESSES_MAX = 100_000;

    private final Builder given;

    private ClusterSettings(Builder given) {
        this.given = given;
    }

    /** Returns a builder with the defaults, for the cluster behind this endpoint. */
    public static Builder builder(String endpoint) {
        return new Builder(endpoint);
    }

    /** The endpoint exactly as it was given. */
    public String endpoint() {
        return given.endpoint;
    }

    /** The name under which the budget is kept: the one from {@link Builder#cluster}, or else the {@link #hostName}. */
    public String cluster() {
        String name = given.cluster;
        return name == null ? hostName() : name;
    }

    /** The host of the endpoint: trimmed, in lower case, without a port. Go processes count permits under this name. */
    public String hostName() {
        return hostOf(given.endpoint);
    }

    static String hostOf(String endpoint) {
        String host = endpoint.strip().toLowerCase(Locale.ROOT);
        int port = host.indexOf(':');
        return port < 0 ? host : host.substring(0, port);
    }

    public String serviceName() {
        return given.serviceName;
    }

    public String host() {
        return given.host;
    }

    /** How permits are counted, or null if this budget does not ration them. */
    public @Nullable PermitMode permitMode() {
        return given.permitMode;
    }

    public double ratePerSecond() {
        return given.ratePerSecond;
    }

    public int burst() {
        return given.burst;
    }

    public Duration maxWait() {
        return given.maxWait;
    }

    /** How leases are counted, or null if this budget does not ration them. */
    public @Nullable LeaseMode leaseMode() {
        return given.leaseMode;
    }

    public int limit() {
        return given.limit;
    }

    public Duration leaseTime() {
        return given.leaseTime;
    }

    public WhenAway whenAway() {
        return given.whenAway;
    }

    /** Whether the budget writes to the log. */
    public boolean logged() {
        return given.logged;
    }

    /** The beginning of the keys that the modes for Go processes use. */
    public String sharedKeyPrefix() {
        return given.sharedKeyPrefix;
    }

    /** The beginning of the name of every metric. */
    public String metricPrefix() {
        return given.metricPrefix;
    }

    /** Connections per second of this process while the store is away, or null for the rate divided by the members. */
    public @Nullable Double localRatePerSecond() {
        return given.localRatePerSecond;
    }

    /** Lower bound for the number of processes assumed while the store is away, or null if none was configured. */
    public @Nullable Integer expectedProcesses() {
        return given.expectedProcesses;
    }

    /** Collects settings. Not safe for use by several threads. */
    public static final class Builder implements Cloneable {
        private final String endpoint;
        private @Nullable String cluster;
        private String serviceName = "reservoir";
        private String host = hostOfProcess();
        private @Nullable PermitMode permitMode = PermitMode.RESERVATION;
        private double ratePerSecond = 100;
        private int burst = 1_000;
        private Duration maxWait = Duration.ofSeconds(30);
        private @Nullable LeaseMode leaseMode = LeaseMode.SHARE;
        private int limit = 10_000;
        private Duration leaseTime = Duration.ofSeconds(60);
        private WhenAway whenAway = WhenAway.LOCAL_SHARE;
        private @Nullable Double localRatePerSecond;
        private @Nullable Integer expectedProcesses;
        private boolean logged = true;
        private String sharedKeyPrefix = "";
        private String metricPrefix = "reservoir_cluster_";

        private Builder(String endpoint) {
            this.endpoint = endpoint;
        }

        private Builder copy() {
            try {
                return (Builder) clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException("bug: a builder that cannot be copied", e);
            }
        }

        /**
         * The name under which the budget is kept in Reservoir's own items. All endpoints that lead to the same cluster
         * need the same name. Items that Go processes write as well keep the endpoint. Default: the host of the
         * endpoint.
         */
        public Builder cluster(@Nullable String value) {
            cluster = value;
            return this;
        }

        /** The name of this service, which is on every item that it writes. Default: {@code reservoir}. */
        public Builder serviceName(String value) {
            serviceName = value;
            return this;
        }

        private static String hostOfProcess() {
            String name = System.getenv("HOSTNAME");
            return (name == null || name.isBlank() ? "unnamed" : name.strip()) + "/"
                    + ProcessHandle.current().pid();
        }

        /** Distinguishes this process from others of the service. Default: {@code HOSTNAME} and the process id. */
        public Builder host(String value) {
            host = value;
            return this;
        }

        /** How new connections are counted; null to leave them unlimited. Default: {@link PermitMode#RESERVATION}. */
        public Builder permitMode(@Nullable PermitMode value) {
            permitMode = value;
            return this;
        }

        /** How many connections per second the whole cluster may open. Default: 100. */
        public Builder ratePerSecond(double value) {
            ratePerSecond = value;
            return this;
        }

        /** How many connections the cluster may open at once. {@link PermitMode#WINDOW} ignores it. Default: 1,000. */
        public Builder burst(int value) {
            burst = value;
            return this;
        }

        /** How long a request for a permit waits before it fails. Default: 30 s. */
        public Builder maxWait(Duration value) {
            maxWait = value;
            return this;
        }

        /** How open connections are counted; null to leave them unlimited. Default: {@link LeaseMode#SHARE}. */
        public Builder leaseMode(@Nullable LeaseMode value) {
            leaseMode = value;
            return this;
        }

        /** How many connections the whole cluster may hold open. Default: 10,000. */
        public Builder limit(int value) {
            limit = value;
            return this;
        }

        /**
         * The time within which the other processes take back the leases of a process that died. They may take a
         * process for dead if it cannot reach the store for longer than half of this time. Default: 60 s.
         */
        public Builder leaseTime(Duration value) {
            leaseTime = value;
            return this;
        }

        /** What to do while the store does not answer. Default: {@link WhenAway#LOCAL_SHARE}. */
        public Builder whenAway(WhenAway value) {
            whenAway = value;
            return this;
        }

        /**
         * How many connections per second this process opens at most while the store is away. Default: the rate divided
         * by the number of processes. That number is {@link #expectedProcesses} or the members last seen, whichever is
         * greater.
         */
        public Builder localRatePerSecond(@Nullable Double value) {
            localRatePerSecond = value;
            return this;
        }

        /**
         * How many processes share the budget. While the store is away, this process assumes at least this many. It
         * divides the rate and the free leases by that number. Default: the members last seen; 1,000 if this process
         * has never seen any.
         */
        public Builder expectedProcesses(@Nullable Integer value) {
            expectedProcesses = value;
            return this;
        }

        /** Whether the budget writes to the log. A simulation of many processes turns this off. Default: true. */
        public Builder logged(boolean value) {
            logged = value;
            return this;
        }

        /** The beginning of the keys of the items that the modes for Go processes share with them. Default: empty. */
        public Builder sharedKeyPrefix(String value) {
            sharedKeyPrefix = value;
            return this;
        }

        /** The beginning of the name of every metric. Default: {@code reservoir_cluster_}. */
        public Builder metricPrefix(String value) {
            metricPrefix = value;
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException if a value is not allowed; the message names the setting, the value and what
         *     is allowed
         */
        public ClusterSettings build() {
            check(!hostOf(endpoint).isEmpty(), "endpoint", "\"" + endpoint + "\"", "the cluster's host name");
            check(!endpoint.contains("#"), "endpoint", endpoint, "the cluster's host name, without #");
            text("cluster", cluster, "[a-z0-9._-]{1,255}", "1 to 255 small letters, digits and . _ -");
            text("serviceName", serviceName, "[A-Za-z0-9._/:-]{1,100}", "1 to 100 letters, digits and . _ - / :");
            text("host", host, "(?s)(?=.*\\S).{1,300}", "1 to 300 characters");
            text("sharedKeyPrefix", sharedKeyPrefix, "[a-z0-9_]{0,50}", "up to 50 small letters, digits and _");
            text("metricPrefix", metricPrefix, "[a-z0-9_]{0,50}", "up to 50 small letters, digits and _");
            double rate = ratePerSecond;
            check(rate > 0 && rate <= 1e6, "rate", rate, "more than 0, up to 1000000");
            boolean isWhole = rate >= 1 && rate == Math.rint(rate);
            check(permitMode != PermitMode.WINDOW || isWhole, "rate", rate, "a whole number with the mode window");
            Checks.between("burst", burst, 1, 1_000_000);
            Checks.between("limit", limit, 1, 10_000_000);
            within("maxWait", maxWait, Duration.ofMillis(100), Duration.ofHours(1));
            within("leaseTime", leaseTime, Duration.ofSeconds(3), Duration.ofHours(1));
            Double local = localRatePerSecond;
            if (local != null) {
                String allowed = "more than 0, up to the rate (" + Text.perSecond(rate) + ")";
                check(local > 0 && local <= rate, "localRate", local, allowed);
            }
            if (expectedProcesses != null) {
                Checks.between("expectedProcesses", expectedProcesses, 1, EXPECTED_PROCESSES_MAX);
            }
            return new ClusterSettings(copy());
        }

        private static void check(boolean allowed, String key, Object value, String what) {
            if (!allowed) {
                throw new SettingException(key, value, what);
            }
        }

        private static void text(String key, @Nullable String value, String pattern, String what) {
            check(value == null || value.matches(pattern), key, "\"" + value + "\"", what);
        }

        private static void within(String key, Duration value, Duration min, Duration max) {
            check(
                    value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
                    key,
                    Text.nanos(value.toNanos()),
                    Text.nanos(min.toNanos()) + " to " + Text.nanos(max.toNanos()));
        }
    }
}
