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
import dev.reservoir.dynamodb.store.DsqlHosts;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoStore;
import dev.reservoir.dynamodb.store.SharedInstances;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The part of one process in the budget of a cluster, counted in DynamoDB. All budgets of a process for the same
 * cluster share one instance. Each user starts it and closes it, and the last one to close it leaves the fleet. A
 * method blocks only if its description says so.
 */
public final class DynamoBudget implements Budget {
    private static final SharedInstances<String, Running> ALL = new SharedInstances<>(Running::close);

    private final SharedInstances<String, Running>.Handle handle;

    private DynamoBudget(SharedInstances<String, Running>.Handle handle) {
        this.handle = handle;
    }

    /** Returns a builder with the defaults for this cluster. At least one table must be set. Does not block. */
    public static Builder builder(String endpoint) {
        return new Builder(endpoint);
    }

    /**
     * Starts the budget that the environment variables ask for, or returns null if they ask for none. The first budget
     * of the process blocks for up to a few seconds, as {@link Builder#start} does.
     *
     * @throws IllegalArgumentException if a value is not allowed; the message names the variable, its value and what is
     *     allowed
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

    /** Returns the current state and counters. Does not block on DynamoDB. */
    public BudgetStats stats() {
        return handle.value().budget.stats();
    }

    /**
     * Returns the lease of this process's node id among all processes that share the cluster. Generators of unique ids
     * use it, so that they need to ask nobody for each id. The first call starts to take the node id in the background.
     * All budgets of this process for the cluster return the same object, and the last one to close gives the node id
     * back. Does not block.
     *
     * @throws IllegalStateException if there is neither a table of leases nor one of permits by reservation; without
     *     members there are no node ids
     */
    public NodeIdLease nodeIds() {
        return handle.value().nodeIds();
    }

    /** Closes this handle. The last one of the process to close leaves the fleet and blocks for up to 11 seconds. */
    @Override
    public void close() {
        handle.close();
    }

    /** Collects settings. Not safe for use by several threads. */
    public static final class Builder {
        private final ClusterSettings.Builder settings;
        private @Nullable String permitTable;
        private @Nullable String leaseTable;
        private @Nullable String region;
        private @Nullable URI endpointOverride;
        private @Nullable PermitMode permitMode = PermitMode.RESERVATION;
        private @Nullable LeaseMode leaseMode = LeaseMode.SHARE;

        private Builder(String endpoint) {
            this.settings = DsqlHosts.settings(endpoint);
        }

        /** The table that counts new connections. Without it, they are not limited. */
        public Builder permitTable(@Nullable String value) {
            permitTable = value;
            return this;
        }

        /** The table that counts open connections; without it they are not limited. May be that of the permits. */
        public Builder leaseTable(@Nullable String value) {
            leaseTable = value;
            return this;
        }

        /** The region of the tables. Default: the region in the endpoint's host name, or else the AWS SDK's. */
        public Builder region(@Nullable String value) {
            region = value;
            return this;
        }

        /** Another address of DynamoDB, such as {@code http://localhost:8000} for DynamoDB Local. */
        public Builder endpointOverride(@Nullable URI value) {
            endpointOverride = value;
            return this;
        }

        /** The name of this service, which is on every item that it writes. Default: {@code reservoir}. */
        public Builder serviceName(String value) {
            settings.serviceName(value);
            return this;
        }

        /** How new connections are counted. Default: {@link PermitMode#RESERVATION}. */
        public Builder permitMode(PermitMode value) {
            permitMode = value;
            return this;
        }

        /** How many connections per second the whole cluster may open. Default: 100. */
        public Builder ratePerSecond(double value) {
            settings.ratePerSecond(value);
            return this;
        }

        /**
         * How many connections the cluster may open at once after a quiet time. {@link PermitMode#WINDOW} ignores it.
         * Default: 1,000.
         */
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

        /** How many connections the whole cluster may hold open. Default: 10,000. */
        public Builder limit(int value) {
            settings.limit(value);
            return this;
        }

        /** The time within which the other processes take back the leases of a process that died. Default: 60 s. */
        public Builder leaseTime(Duration value) {
            settings.leaseTime(value);
            return this;
        }

        /** What to do while DynamoDB does not answer. Default: {@link WhenAway#LOCAL_SHARE}. */
        public Builder whenAway(WhenAway value) {
            settings.whenAway(value);
            return this;
        }

        /** Connections per second that this process opens while DynamoDB is away. Default: its share of the rate. */
        public Builder localRatePerSecond(@Nullable Double value) {
            settings.localRatePerSecond(value);
            return this;
        }

        /**
         * How many processes share the budget at least. While DynamoDB does not answer, this process divides the rate
         * and the free leases by that number. Default: the members last seen; 1,000 if this process has never seen any.
         */
        public Builder expectedProcesses(@Nullable Integer value) {
            settings.expectedProcesses(value);
            return this;
        }

        /**
         * Joins the fleet in the background, or returns the budget that this process already has for the cluster. Does
         * not call DynamoDB before it returns. The first budget of the process blocks for up to a few seconds, while
         * the AWS SDK starts.
         *
         * @throws IllegalArgumentException if a setting is not allowed, or if this process has a budget for the same
         *     cluster with other settings
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

    /** The parts of a running budget. */
    private static final class Running {
        final BudgetConfig config;
        final DynamoClient client;
        final SystemTime time;
        final ClusterBudget budget;
        final @Nullable ObjectName bean;
        private final ClusterSettings settings;

        /** The store that holds the members; null if there is none. */
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

        synchronized void close() {
            JmxBeans.unregister(bean);
            if (nodeIds != null) {
                nodeIds.close();
            }
            budget.close();
            time.close();
            client.close();
        }
    }
}
