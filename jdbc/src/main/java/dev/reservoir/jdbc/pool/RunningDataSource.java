package dev.reservoir.jdbc.pool;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.ReservoirBuilder;
import dev.reservoir.core.SettingException;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.util.BackgroundThreads;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.core.util.WorkerThreads;
import dev.reservoir.jdbc.DeadPeerDetection;
import dev.reservoir.jdbc.ErrorRule;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceFactory;
import dev.reservoir.jdbc.Validation;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.DataSourceThreads;
import dev.reservoir.jdbc.config.Setting;
import dev.reservoir.jdbc.connect.ConnectionSource;
import dev.reservoir.jdbc.connect.JdbcConnector;
import dev.reservoir.jdbc.connect.ValidationQuery;
import dev.reservoir.jdbc.error.ConnectErrors;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** Logs lines and calls listeners. Either may hang. */
    private final BackgroundThreads events;

    private final EventDispatcher lines;

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
        emptyWaitNanos = config.get(DataSourceSettings.EMPTY_WAIT).toNanos();
        String prefix = "reservoir-" + name;
        ThreadFactory threads = user.threads().named(prefix);
        events = new BackgroundThreads(
                prefix, 1, EVENTS_WAITING_MAX, WorkerThreads.of(WorkerThreads.Kind.EVENTS, prefix, threads));
        errorRule = user.errorRule();
        // A background thread logs, because an appender that hangs would delay the start on the caller's thread.
        lines = new EventDispatcher(events, log);
        JdbcConnector opener = null;
        Reservoir<PhysicalConnection> engine = null;
        try {
            opener = new JdbcConnector(
                    name,
                    source,
                    user.credentials(),
                    config.given(DataSourceSettings.CONNECT_ERROR_RULE),
                    new ValidationQuery(config.given(DataSourceSettings.VALIDATION_QUERY), lines),
                    config.get(DataSourceSettings.DEAD_PEER_DETECTION) == DeadPeerDetection.FULL,
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
            fill = new InitialFill(
                    reservoir, targets, config.get(DataSourceSettings.INITIAL_FILL_TIMEOUT), connector.watch(), lines);
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
                config.get(DataSourceSettings.ACQUIRE_TIMEOUT).toNanos(),
                checkoutValidation(config, connector),
                config.given(DataSourceSettings.SERVER_AGE_LIMIT),
                inUseWatch,
                lines,
                severalThreads);
    }

    /**
     * Applies the current settings, of which only some can have changed. Changes nothing if one of them is not allowed.
     * Does not block.
     *
     * @throws SettingException if one of them is not allowed
     */
    public void change(Config.Snapshot before) {
        Set<Setting<?>> changed = config.changedSince(before);
        if (changed.contains(DataSourceSettings.USERNAME) && config.login().user() == null) {
            throw new SettingException("username", "null", "a user, since " + dataSource + " runs");
        }
        config.check();
        Targets targets = Collections.disjoint(changed, DataSourceSettings.TARGETS) ? null : config.targets(lines::run);
        changed.removeAll(DataSourceSettings.TARGETS);
        changed.removeAll(Set.of(DataSourceSettings.USERNAME, DataSourceSettings.PASSWORD));
        boolean callersWaitOtherwise = changed.remove(DataSourceSettings.ACQUIRE_TIMEOUT);
        Settings settings = changed.isEmpty() ? null : config.settings(lines::run);
        if (settings != null) {
            reservoir.setSettings(settings);
            source.connectTimeoutChanged();
        }
        if (settings != null || callersWaitOtherwise) {
            checkoutPath = newCheckoutPath();
        }
        if (targets != null) {
            reservoir.setTargets(targets);
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
        try {
            budget =
                    config.sharedBudget == null ? null : config.sharedBudget.open(config.given(DataSourceSettings.URL));
            RunningDataSource running = new RunningDataSource(
                    dataSource, config, compared, place, source, user, targets, settings, budget, linesBefore);
            place.fill(running);
            return running;
        } catch (RuntimeException | Error e) {
            place.free();
            if (budget != null) {
                budget.close();
            }
            throw e;
        }
    }

    private static void warnIfNumbered(DataSourceRegistry.Place place, EventDispatcher lines) {
        if (!place.name().equals(place.wanted())) {
            lines.run(() -> log.warn(
                    "Reservoir: another data source of this process has this name, so this one gets a number  wanted={}"
                            + " reservoir={}",
                    place.wanted(),
                    place.name()));
        }
    }

    private Reservoir<PhysicalConnection> reservoir(
            Config config,
            Config.UserObjects user,
            Targets targets,
            Settings settings,
            @Nullable ThreadFactory threads) {
        Leases sharedLeases = budget == null ? null : budget.leases();
        Permits sharedPermits = budget == null ? null : budget.permits();
        Leases leases = config.given(DataSourceSettings.LEASES);
        Permits permits = config.given(DataSourceSettings.PERMITS);
        ReservoirBuilder<PhysicalConnection> builder = Reservoir.builder(connector)
                .name(place.name())
                .targets(targets)
                .settings(settings)
                .threadFactory(threads)
                .events(events)
                .leases(leases != null ? leases : sharedLeases);
        if (permits != null) {
            builder.permits(permits);
        } else if (sharedPermits != null) {
            builder.permits(sharedPermits);
        } else {
            builder.rate(
                    config.get(DataSourceSettings.CONNECTION_RATE_LIMIT),
                    config.get(DataSourceSettings.CONNECTION_BURST_LIMIT));
        }
        builder.listener(heard(new LogListener(
                place.name(),
                () -> config.get(DataSourceSettings.TARGET_READY),
                () -> Math.max(0, config.get(DataSourceSettings.GUARD_WINDOW).toNanos()),
                connector.watch()::nanos,
                lines)));
        user.listeners().forEach(listener -> builder.listener(heard(listener)));
        return builder.build();
    }

    private @Nullable InUseWatch inUseWatch(Config config, DataSourceThreads threads) {
        Duration leakDetectionThreshold = config.get(DataSourceSettings.LEAK_DETECTION_THRESHOLD);
        Duration abandonedTimeout = config.get(DataSourceSettings.ABANDONED_TIMEOUT);
        if (leakDetectionThreshold.isZero() && abandonedTimeout.isZero()) {
            return null;
        }
        return new InUseWatch(
                reservoir,
                leakDetectionThreshold.toNanos(),
                abandonedTimeout.toNanos(),
                connector::owns,
                connector.watch(),
                lines,
                threads);
    }

    private static @Nullable CheckoutValidation checkoutValidation(Config config, JdbcConnector connector) {
        Validation validation = config.get(DataSourceSettings.VALIDATION);
        if (validation == Validation.BACKGROUND) {
            return null;
        }
        long idleNanos = validation == Validation.IDLE
                ? config.get(DataSourceSettings.VALIDATION_IDLE).toNanos()
                : -1;
        long timeoutNanos = config.get(DataSourceSettings.VALIDATION_TIMEOUT).toNanos();
        return new CheckoutValidation(connector, timeoutNanos, idleNanos);
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
    public EventDispatcher lines() {
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
                    reservoir.name() + ": evict: the connection does not belong to this reservoir, or is being closed",
                    "08003");
        }
        reservoir.evict(CheckoutPath.pooled(connection.physical));
    }

    /** Retires a connection that a listener received. Does nothing if it is being closed. */
    @SuppressWarnings("unchecked") // a connection that this connector owns is of its type
    public void evict(Pooled<?> connection) {
        if (connection.connection() instanceof PhysicalConnection physical && connector.owns(physical)) {
            reservoir.evict((Pooled<PhysicalConnection>) connection);
        }
    }

    /** The connection of the driver that a listener knows by this, or null if it is being closed. */
    public @Nullable Connection driverConnection(Pooled<?> connection) {
        return connection.connection() instanceof PhysicalConnection physical && connector.owns(physical)
                ? physical.raw
                : null;
    }

    /**
     * Drains and ends. Blocks until nothing is left, for one minute after the drain timeout at most. If the thread is
     * interrupted, returns at once and leaves the thread interrupted. In each case the end comes with the last
     * connection. Until then the name stays taken, and the threads that close connections stay alive. A second call
     * waits for the same end.
     */
    public void close(Duration drain) {
        closeAsync(drain);
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

    /**
     * Begins to drain and end. A later call can shorten the drain timeout. Does not block. The stage completes at the
     * end.
     */
    public CompletionStage<Void> closeAsync(Duration drain) {
        if (closing.compareAndSet(false, true)) {
            fill.forget();
            CompletionStage<Void> drained = reservoir.closeAsync(drain);
            drained.whenComplete((nothing, error) -> end());
        } else if (!ended.isDone()) {
            CompletionStage<Void> sooner = reservoir.closeAsync(drain);
            sooner.exceptionally(error -> null);
        }
        return ended.copy();
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
