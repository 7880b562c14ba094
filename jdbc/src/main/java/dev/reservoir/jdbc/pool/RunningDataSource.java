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
import dev.reservoir.core.util.BackgroundThreads;
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

/**
 * All parts of a started data source, from its start to its end. Never checks out a connection on its own and never
 * restarts.
 */
public final class RunningDataSource {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    /**
     * Bounds the log lines and listener events that may wait. A healthy log appender never has that many waiting, and
     * that many cost little memory.
     */
    private static final int EVENTS_WAITING_MAX = 10_000;

    /**
     * Bounds how long close waits for its last lines to be logged, so that it does not wait for an appender that hangs.
     */
    private static final long EVENTS_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReservoirDataSource dataSource;
    private final Config config;
    private final DataSourceRegistry.Place place;
    private final JdbcConnector connector;
    private final Reservoir<PhysicalConnection> reservoir;

    /** The thread that logs lines and calls listeners. Either may hang. */
    private final BackgroundThreads events;

    private final BackgroundLog lines;

    private final @Nullable InUseWatch inUseWatch;
    private final @Nullable Map<String, String> comparedAtStart;
    private final ErrorRule errorRule;
    private final ConnectionSource source;

    /** Replaced when a timeout changes, so that a checkout needs only this one object. */
    private volatile CheckoutPath checkoutPath;

    private final @Nullable Budget budget;
    private final InitialFill fill;
    private final long emptyWaitNanos;
    private final AtomicBoolean severalThreads = new AtomicBoolean();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Starts to fill in the background. The settings must have been checked. */
    private RunningDataSource(
            ReservoirDataSource dataSource,
            Config config,
            @Nullable Map<String, String> comparedAtStart,
            DataSourceRegistry.Place place,
            ConnectionSource source,
            Config.UserObjects user,
            Targets targets,
            Settings settings,
            @Nullable Budget budget,
            List<Runnable> linesBefore) {
        this.budget = budget;
        this.dataSource = dataSource;
        this.config = config;
        this.comparedAtStart = comparedAtStart;
        this.place = place;
        this.source = source;
        String name = place.name();
        emptyWaitNanos = config.emptyWait.toNanos();
        ThreadFactory threads = user.threads().named("reservoir-" + name);
        events = new BackgroundThreads("reservoir-" + name, 1, EVENTS_WAITING_MAX, threads);
        errorRule = user.errorRule();
        // A background thread logs, because an appender that hangs would delay the start on the caller's thread.
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
            checkoutPath = newCheckoutPath();
        } catch (RuntimeException | Error e) {
            giveUp(opener, engine, events);
            throw e;
        }
    }

    /**
     * Ends what a failed start had begun. Does not block. Connections that were opened are closed in the background.
     */
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
     * Applies the current settings, of which only some can have changed. Changes nothing if one of them is not allowed.
     * Does not block.
     *
     * @throws IllegalArgumentException that names the setting, the value and the allowed values
     */
    public void change(Config.Live before) {
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
            checkoutPath = newCheckoutPath();
        }
    }

    /** The settings at the start, in the form that {@link ReservoirDataSourceFactory} compares. */
    @Nullable
    public Map<String, String> comparedAtStart() {
        return comparedAtStart;
    }

    /**
     * Checks the settings, takes the name and starts. The name gets a number if another data source has it. Does not
     * block.
     *
     * @param compared the settings in the form that {@link ReservoirDataSourceFactory} compares; null if it cannot
     */
    public static RunningDataSource start(
            ReservoirDataSource dataSource, Config config, @Nullable Map<String, String> compared, String wantedName) {
        config.check();
        // A thread logs these lines once it exists. If a setting is rejected, the error tells the caller what to
        // change.
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
            RunningDataSource running = new RunningDataSource(
                    dataSource, config, compared, place, source, user, targets, settings, budget, linesBefore);
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

    /**
     * Every listener accepts any connection object. The cast is safe, because a listener sees connections as plain
     * objects.
     */
    @SuppressWarnings("unchecked")
    private static Listener<PhysicalConnection> heard(Listener<Object> listener) {
        return (Listener<PhysicalConnection>) (Listener<?>) listener;
    }

    /** The name in logs, threads, JMX and URLs: the name of the settings, perhaps with a number. */
    public String name() {
        return place.name();
    }

    /** The data source that these parts belong to. */
    public ReservoirDataSource dataSource() {
        return dataSource;
    }

    /** Logs the lines of this data source. */
    public BackgroundLog lines() {
        return lines;
    }

    public CheckoutPath checkoutPath() {
        return checkoutPath;
    }

    public Reservoir<PhysicalConnection> reservoir() {
        return reservoir;
    }

    public long emptyWaitNanos() {
        return emptyWaitNanos;
    }

    /**
     * Blocks until the low watermark is reached or the timeout has passed.
     *
     * @throws IllegalStateException if the first connect showed that the settings are wrong; its cause is the exception
     *     of the driver
     */
    public void awaitFill(Duration timeout) {
        try {
            fill.await(timeout);
        } catch (NoConnectionException e) {
            SQLException ofDriver = ConnectErrors.sqlCause(e);
            throw new IllegalStateException(e.getMessage(), ofDriver == null ? e : ofDriver);
        }
    }

    /** Retires a connection in use. */
    public void evict(WrappedConnection connection) throws SQLException {
        if (!connector.owns(connection.physical)) {
            throw new SQLException(
                    reservoir.name() + ": evict: the connection is not of this reservoir, or is being closed", "08003");
        }
        reservoir.evict(CheckoutPath.pooled(connection.physical));
    }

    /**
     * Drains and ends. Blocks until nothing is left, for one minute after the drain timeout at most. If the thread is
     * interrupted, returns at once and leaves the thread interrupted. In each case the end comes with the last
     * connection. Until then the name stays taken, and the threads that close connections stay alive. A second call
     * waits for the same end.
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

    /**
     * Closes the budget last, when no lease is held any more. It may block for a few seconds, but this thread has
     * nothing else to do.
     */
    private void endBudget() {
        if (budget != null) {
            budget.close();
        }
    }
}
