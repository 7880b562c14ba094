package dev.reservoir.jdbc.pool;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.ReservoirBuilder;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.time.BackgroundThreads;
import dev.reservoir.jdbc.DeadPeerDetection;
import dev.reservoir.jdbc.ErrorRule;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceFactory;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceThreads;
import dev.reservoir.jdbc.config.DurationText;
import dev.reservoir.jdbc.config.SharedBudget;
import dev.reservoir.jdbc.connect.ConnectionSource;
import dev.reservoir.jdbc.connect.JdbcConnector;
import dev.reservoir.jdbc.connect.ValidationQuery;
import dev.reservoir.jdbc.error.ConnectErrors;
import dev.reservoir.jdbc.log.BackgroundLog;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All that a started data source consists of, from its start to its end. */
public final class RunningDataSource {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    /** Far more than a healthy log appender ever has before it, and few enough to be no burden. */
    private static final int EVENTS_WAITING_MAX = 10_000;

    /** How long the end waits for its last lines to be logged: a log appender that hangs is not waited for. */
    private static final long EVENTS_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReservoirDataSource dataSource;
    private final DataSourceRegistry.Place place;
    private final JdbcConnector connector;
    private final Reservoir<PhysicalConnection> reservoir;

    /** Where lines are logged and listeners are called: either may hang. */
    private final BackgroundThreads events;

    private final BackgroundLog lines;

    private final @Nullable InUseWatch inUseWatch;
    private final @Nullable Map<String, String> comparedAtStart;
    private final ErrorRule errorRule;
    private final ConnectionSource source;

    /** Replaced when a timeout changes, so that a checkout finds it without looking elsewhere. */
    private volatile CheckoutPath checkouts;

    private final @Nullable Budget budget;
    private final InitialFill fill;
    private final long emptyWaitNanos;
    private final AtomicBoolean severalThreads = new AtomicBoolean();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Starts to fill, in the background, with settings that were found good. */
    private RunningDataSource(
            ReservoirDataSource dataSource,
            DataSourceRegistry.Place place,
            ConnectionSource source,
            Config.UserObjects user,
            Targets targets,
            Settings settings,
            @Nullable Budget budget,
            List<Runnable> linesBefore) {
        this.budget = budget;
        this.dataSource = dataSource;
        this.place = place;
        this.source = source;
        String name = place.name();
        Config config = dataSource.config;
        emptyWaitNanos = config.emptyWait.toNanos();
        ThreadFactory threads = user.threads().named("reservoir-" + name);
        events = new BackgroundThreads("reservoir-" + name, 1, EVENTS_WAITING_MAX, threads);
        errorRule = user.errorRule();
        // Not on the caller's thread: an appender that hangs would hold up the start.
        lines = new BackgroundLog(events);
        JdbcConnector opener = null;
        Reservoir<PhysicalConnection> engine = null;
        try {
            opener = new JdbcConnector(
                    name,
                    source,
                    user.credentials(),
                    new ValidationQuery(config.validationQuery, lines),
                    config.deadPeerDetection == DeadPeerDetection.FULL,
                    settings,
                    threads);
            connector = opener;
            linesBefore.forEach(lines::run);
            warnIfNumbered(place, lines);
            if (config.reservoirMode) {
                lines.run(() -> log.info("Reservoir mode enabled, registering reservoir driver  reservoir={}", name));
            }
            engine = reservoir(config, user, targets, settings, threads);
            reservoir = engine;
            lines.run(() -> log.info(
                    "Reservoir refiller started  target_ready={} low_watermark={} base_lifetime={} reservoir={}",
                    targets.targetReady(),
                    targets.lowWatermark(),
                    DurationText.format(settings.baseLifetimeNanos()),
                    name));
            fill = new InitialFill(reservoir, targets, config.initialFillTimeout, connector.watch(), lines);
            inUseWatch = inUseWatch(config, user.threads());
            checkouts = newCheckoutPath();
            comparedAtStart = ReservoirDataSourceFactory.compared(config);
        } catch (RuntimeException | Error e) {
            giveUp(opener, engine, events);
            throw e;
        }
    }

    /** Ends what a start had begun that failed. Does not block; connections that were opened are closed in the background. */
    private static void giveUp(
            @Nullable JdbcConnector opener, @Nullable Reservoir<PhysicalConnection> engine, BackgroundThreads events) {
        CompletionStage<Void> closed =
                engine == null ? CompletableFuture.completedFuture(null) : engine.closeAsync(Duration.ZERO);
        closed.whenComplete((nothing, error) -> {
            if (opener != null) {
                opener.end();
            }
            events.close();
        });
    }

    private CheckoutPath newCheckoutPath() {
        Config config = dataSource.config;
        return new CheckoutPath(
                reservoir,
                errorRule,
                config.acquireTimeout.toNanos(),
                checkoutValidation(config, connector),
                config.serverAgeLimit,
                inUseWatch,
                severalThreads);
    }

    /**
     * Goes by the settings as they are now, of which those were changed that can be. Does nothing if one is not allowed.
     *
     * @throws IllegalArgumentException that names the setting, the value and what is allowed
     */
    public void change(Config.Live before) {
        Config config = dataSource.config;
        Config.Live now = config.live();
        if (now.login().user() == null && before.login().user() != null) {
            throw new IllegalArgumentException("username is null; allowed: a user, since " + dataSource + " runs");
        }
        config.check();
        Targets targets = now.sizes().equals(before.sizes()) ? null : config.targets(lines::run);
        Settings settings = now.times().equals(before.times()) ? null : config.settings(lines::run);
        if (settings != null) {
            reservoir.setSettings(settings);
            source.connectTimeoutChanged();
        }
        if (targets != null) {
            reservoir.setTargets(targets);
        }
        if (settings != null || !now.acquireTimeout().equals(before.acquireTimeout())) {
            checkouts = newCheckoutPath();
        }
    }

    /** The settings that it was started with, as {@link ReservoirDataSourceFactory} compares them. */
    @Nullable
    public Map<String, String> comparedAtStart() {
        return comparedAtStart;
    }

    /** Checks the settings, takes the name, with a number behind it if another one has it, and starts. Does not block. */
    public static RunningDataSource start(ReservoirDataSource dataSource, String wantedName) {
        Config config = dataSource.config;
        config.check();
        // Logged once there is a thread for it. If a setting is refused, the error says what to change.
        List<Runnable> linesBefore = new ArrayList<>();
        Targets targets = config.targets(linesBefore::add);
        Settings settings = config.settings(linesBefore::add);
        ConnectionSource source = ConnectionSource.of(config);
        Config.UserObjects user = config.userObjects();
        DataSourceRegistry.Place place = DataSourceRegistry.take(wantedName);
        Budget budget = null;
        boolean started = false;
        try {
            budget = config.budgetVariables == null ? null : SharedBudget.open(config.budgetVariables, config.url);
            RunningDataSource running =
                    new RunningDataSource(dataSource, place, source, user, targets, settings, budget, linesBefore);
            place.fill(running);
            started = true;
            return running;
        } finally {
            if (!started) {
                place.free();
                if (budget != null) {
                    budget.close();
                }
            }
        }
    }

    private static void warnIfNumbered(DataSourceRegistry.Place place, BackgroundLog lines) {
        if (!place.name().equals(place.wanted())) {
            lines.run(() -> log.warn(
                    "Reservoir: another data source of this process has this name, so this one gets a number  wanted={}"
                            + " reservoir={}",
                    place.wanted(),
                    place.name()));
        }
    }

    private Reservoir<PhysicalConnection> reservoir(
            Config config, Config.UserObjects user, Targets targets, Settings settings, ThreadFactory threads) {
        Leases sharedLeases = budget == null ? null : budget.leases();
        Permits sharedPermits = budget == null ? null : budget.permits();
        ReservoirBuilder<PhysicalConnection> builder = Reservoir.builder(connector)
                .name(place.name())
                .targets(targets)
                .settings(settings)
                .threadFactory(threads)
                .events(events)
                .leases(config.leases != null ? config.leases : sharedLeases);
        if (config.permits != null) {
            builder.permits(config.permits);
        } else if (sharedPermits != null) {
            builder.permits(sharedPermits);
        } else if (config.connectionRateLimit != null) {
            int burst = config.connectionBurstLimit == null ? 1 : config.connectionBurstLimit;
            builder.rate(config.connectionRateLimit, burst);
        }
        builder.listener(heard(new LogListener(
                place.name(),
                config::targetReadyOrDefault,
                () -> Math.max(0, config.guardWindow.toNanos()),
                connector.watch()::nanos,
                lines)));
        user.listeners().forEach(listener -> builder.listener(heard(listener)));
        return builder.build();
    }

    private @Nullable InUseWatch inUseWatch(Config config, DataSourceThreads threads) {
        if (config.leakDetectionThreshold.isZero() && config.abandonedTimeout.isZero()) {
            return null;
        }
        return new InUseWatch(
                reservoir,
                config.leakDetectionThreshold.toNanos(),
                config.abandonedTimeout.toNanos(),
                connector::owns,
                connector.watch(),
                lines,
                threads);
    }

    private static @Nullable CheckoutValidation checkoutValidation(Config config, JdbcConnector connector) {
        if (config.validation == Validation.BACKGROUND) {
            return null;
        }
        long idleNanos = config.validation == Validation.IDLE ? config.validationIdle.toNanos() : -1;
        return new CheckoutValidation(connector, config.validationTimeout.toNanos(), idleNanos);
    }

    /** A listener of any connection can hear of these; what it is shown of them is only that they are objects. */
    @SuppressWarnings("unchecked")
    private static Listener<PhysicalConnection> heard(Listener<Object> listener) {
        return (Listener<PhysicalConnection>) (Listener<?>) listener;
    }

    /** The name in logs, threads, JMX and URLs: the one of the settings, or that and a number. */
    public String name() {
        return place.name();
    }

    /** Whose it is. */
    public ReservoirDataSource dataSource() {
        return dataSource;
    }

    /** Where its lines are logged. */
    public BackgroundLog lines() {
        return lines;
    }

    public CheckoutPath checkouts() {
        return checkouts;
    }

    public Reservoir<PhysicalConnection> reservoir() {
        return reservoir;
    }

    public long emptyWaitNanos() {
        return emptyWaitNanos;
    }

    /**
     * Blocks until the low watermark is reached, or for so long.
     *
     * @throws IllegalStateException if the first connect showed that the settings are wrong; its cause is what the driver threw
     */
    public void awaitFill(Duration timeout) {
        try {
            fill.await(timeout);
        } catch (NoConnectionException e) {
            SQLException ofDriver = ConnectErrors.sqlCause(e);
            throw new IllegalStateException(e.getMessage(), ofDriver == null ? e : ofDriver);
        }
    }

    /** Retires a connection on loan. */
    public void evict(WrappedConnection connection) throws SQLException {
        if (!connector.owns(connection.physical)) {
            throw new SQLException(
                    reservoir.name() + ": evict: the connection is not of this reservoir, or is being closed", "08003");
        }
        reservoir.evict(CheckoutPath.pooled(connection.physical));
    }

    /**
     * Drains and ends; blocks until nothing is left, or for a minute after the drain time-out. If interrupted, returns at once
     * and leaves the thread interrupted. The end comes in either case, with the last connection: until then the name stays
     * taken, and the threads are there that close connections. A second call waits for the same end.
     */
    public void close(Duration drain) {
        if (closing.compareAndSet(false, true)) {
            fill.forget();
            CompletionStage<Void> drained = reservoir.closeAsync(drain);
            drained.whenComplete((nothing, error) -> end());
        }
        try {
            ended.get(drain.plusMinutes(1).toNanos(), TimeUnit.NANOSECONDS);
            events.awaitEnd(EVENTS_PATIENCE_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            lines.run(() -> log.warn(
                    "Reservoir: close takes too long, goes on in the background  reservoir={}", reservoir.name()));
        } catch (ExecutionException e) {
            throw new IllegalStateException("bug: waiting for the end failed", e);
        }
    }

    private void end() {
        try {
            if (inUseWatch != null) {
                inUseWatch.end();
            }
            connector.end();
            place.free();
            lines.run(() -> log.info("Reservoir refiller stopped  reservoir={}", reservoir.name()));
        } finally {
            endBudget();
            events.close();
            ended.complete(null);
        }
    }

    /** Only now, when no lease is out any more. It may block for a few seconds; this thread carries nothing else. */
    private void endBudget() {
        if (budget != null) {
            budget.close();
        }
    }
}
