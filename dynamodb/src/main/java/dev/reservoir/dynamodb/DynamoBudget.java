package dev.reservoir.dynamodb;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.NodeIdLease;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.JmxBeans;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * A process's part in the budget of a cluster, counted in DynamoDB. Budgets of the same cluster in one process are one: each
 * asks for it and each closes it, and the last to do so leaves the fleet. No method blocks but those that say so.
 */
public final class DynamoBudget implements Budget {
    private static final SharedInstances<String, Running> ALL = new SharedInstances<>(Running::close);

    private final SharedInstances<String, Running>.Handle handle;

    private DynamoBudget(SharedInstances<String, Running>.Handle handle) {
        this.handle = handle;
    }

    /** The defaults, for the cluster behind this endpoint. At least one of the tables must be named. */
    public static Builder builder(String endpoint) {
        return new Builder(endpoint);
    }

    /**
     * The budget that environment variables ask for, or null if they ask for none. Blocks for up to a second if it is the first of
     * the process, as {@link Builder#start} does.
     *
     * @throws IllegalArgumentException if a value is not allowed; the message names the variable, its value and what is
     */
    public static @Nullable DynamoBudget fromEnvironment(Map<String, String> variables, String endpoint) {
        return BudgetEnvironment.start(variables, endpoint);
    }

    @Override
    public @Nullable Permits permits() {
        return handle.value().budget.permits();
    }

    @Override
    public @Nullable Leases leases() {
        return handle.value().budget.leases();
    }

    /** How things stand. */
    public BudgetStats stats() {
        return handle.value().budget.stats();
    }

    /**
     * This process's node id among all that share the cluster, for ids that are made without asking anybody. Taken in the background at the first
     * call; the same object for all budgets of the cluster in this process, and given back with the last of them.
     *
     * @throws IllegalStateException if there is neither a table of leases nor one of permits by reservation: others are not looked at
     *     there, so node ids are not given out
     */
    public NodeIdLease nodeIds() {
        return handle.value().nodeIds();
    }

    /** Lets go of the budget. Blocks for up to 11 seconds if it was the last of the process to do so. */
    @Override
    public void close() {
        handle.close();
    }

    /** Collects settings. */
    public static final class Builder {
        private final ClusterSettings.Builder settings;
        private @Nullable String permitTable;
        private @Nullable String leaseTable;
        private @Nullable String region;
        private @Nullable URI endpointOverride;
        private @Nullable PermitMode permitMode = PermitMode.RESERVATION;
        private @Nullable LeaseMode leaseMode = LeaseMode.SHARE;

        private Builder(String endpoint) {
            // The public and the PrivateLink name of a cluster are one budget.
            this.settings = ClusterSettings.builder(endpoint).cluster(DsqlHosts.clusterOf(endpoint));
        }

        /** The table in which new connections are counted. Without one they are not. */
        public Builder permitTable(@Nullable String value) {
            permitTable = value;
            return this;
        }

        /** The table in which open connections are counted. Without one they are not. It may be that of the permits. */
        public Builder leaseTable(@Nullable String value) {
            leaseTable = value;
            return this;
        }

        /** Where the tables are. Default: the region in the endpoint's name, or else what the AWS SDK finds. */
        public Builder region(@Nullable String value) {
            region = value;
            return this;
        }

        /** Another address of DynamoDB, such as {@code http://localhost:8000} for DynamoDB Local. */
        public Builder endpointOverride(@Nullable URI value) {
            endpointOverride = value;
            return this;
        }

        /** Names this service on every item it writes. Default: {@code reservoir}. */
        public Builder serviceName(String value) {
            settings.serviceName(value);
            return this;
        }

        /** How new connections are counted. Default: {@link PermitMode#RESERVATION}. */
        public Builder permitMode(PermitMode value) {
            permitMode = value;
            return this;
        }

        /** How many connections a second the whole cluster may open. Default: 100. */
        public Builder ratePerSecond(double value) {
            settings.ratePerSecond(value);
            return this;
        }

        /** How many it may open at once after a quiet time; of no meaning for {@link PermitMode#WINDOW}. Default: 1,000. */
        public Builder burst(int value) {
            settings.burst(value);
            return this;
        }

        /** How long a request for a permit waits before it fails. Default: 30 s. */
        public Builder maxWait(Duration value) {
            settings.maxWait(value);
            return this;
        }

        /** How open connections are counted. Default: {@link LeaseMode#SHARE}. */
        public Builder leaseMode(LeaseMode value) {
            leaseMode = value;
            return this;
        }

        /** How many connections the whole cluster may hold. Default: 10,000. */
        public Builder limit(int value) {
            settings.limit(value);
            return this;
        }

        /** Within which the leases of a process that died are taken back by the others. Default: 60 s. */
        public Builder leaseTime(Duration value) {
            settings.leaseTime(value);
            return this;
        }

        /** What to do while DynamoDB does not answer. Default: {@link WhenAway#LOCAL_SHARE}. */
        public Builder whenAway(WhenAway value) {
            settings.whenAway(value);
            return this;
        }

        /** How many connections a second this process opens at most meanwhile. Default: its share of the rate. */
        public Builder localRatePerSecond(@Nullable Double value) {
            settings.localRatePerSecond(value);
            return this;
        }

        /**
         * How many processes share the budget, at least, for their parts of it while DynamoDB does not answer. Default: as many as were last
         * seen; 1,000 if none ever were.
         */
        public Builder expectedProcesses(@Nullable Integer value) {
            settings.expectedProcesses(value);
            return this;
        }

        /**
         * Joins the fleet in the background, or takes the budget that this process already has for the cluster. DynamoDB is
         * not asked before this returns. Blocks for up to some seconds if it is the first of the process, while the AWS SDK starts.
         *
         * @throws IllegalArgumentException if a setting is not allowed, or this process has a budget for the same cluster
         *     with other settings
         */
        public DynamoBudget start() {
            ClusterSettings checked = settings();
            BudgetConfig config = config();
            return new DynamoBudget(
                    ALL.acquire(config.name(), () -> new Running(config, checked), running -> running.require(config)));
        }

        BudgetConfig config() {
            return BudgetConfig.of(settings(), permitTable, leaseTable, region, endpointOverride);
        }

        private ClusterSettings settings() {
            if (permitTable == null && leaseTable == null) {
                throw new IllegalArgumentException(
                        "permitTable and leaseTable are missing; allowed: at least one of them");
            }
            return settings.permitMode(permitTable == null ? null : permitMode)
                    .leaseMode(leaseTable == null ? null : leaseMode)
                    .build();
        }
    }

    /** What a budget consists of. */
    private static final class Running {
        final BudgetConfig config;
        final DynamoClient client;
        final SystemTime time;
        final ClusterBudget budget;
        final @Nullable ObjectName bean;
        private final ClusterSettings settings;

        /** Where members are known; null if nowhere. */
        private final @Nullable DynamoStore home;

        /** Guarded by this. */
        private @Nullable NodeIdLease nodeIds;

        Running(BudgetConfig config, ClusterSettings settings) {
            this.config = config;
            this.settings = settings;
            client = DynamoClient.shared(config.region(), config.endpointOverride());
            time = new SystemTime("reservoir-cluster-" + config.name());
            DynamoStore permits = config.permitTable() == null ? null : store(config.permitTable());
            boolean both = config.leaseTable() != null && config.leaseTable().equals(config.permitTable());
            DynamoStore leases = both ? permits : config.leaseTable() == null ? null : store(config.leaseTable());
            home = leases != null ? leases : settings.permitMode() == PermitMode.RESERVATION ? permits : null;
            try {
                budget = ClusterBudget.start(
                        settings, permits, leases, time, InstantSource.system(), new SecureRandom());
            } catch (RuntimeException e) {
                time.close();
                client.close();
                throw e;
            }
            bean = BudgetJmx.register(config.name(), budget::stats);
        }

        synchronized NodeIdLease nodeIds() {
            if (home == null) {
                throw new IllegalStateException("the budget of " + config.endpoint()
                        + " gives out no node ids; allowed: with a leaseTable, or a"
                        + " permitTable in the mode reservation");
            }
            if (nodeIds == null) {
                nodeIds = NodeIdLease.start(settings, home, time, InstantSource.system(), new SecureRandom());
            }
            return nodeIds;
        }

        private synchronized void closeNodeIds() {
            if (nodeIds != null) {
                nodeIds.close();
            }
        }

        private DynamoStore store(String table) {
            return new DynamoStore(client, table, time::execute);
        }

        void require(BudgetConfig wanted) {
            if (!wanted.equals(config)) {
                throw new IllegalArgumentException("the budget of " + config.endpoint()
                        + " is in use in this process with other settings; allowed: the same for all of them; different: "
                        + wanted.differences(config));
            }
        }

        void close() {
            JmxBeans.unregister(bean);
            closeNodeIds();
            budget.close();
            time.close();
            client.close();
        }
    }
}
