package dev.reservoir.remote.pool;

import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.ReservoirBuilder;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The data source of a user pool on virtual time: the engine, with the connects, resets and closes of the JDBC door on
 * simulated threads.
 */
final class SimulatedDataSource extends ReservoirDataSource implements Connector<Object> {
    private final UserPoolFactory.Parts parts;
    private final VirtualTime time;
    private final SimulatedThreads threads;
    private final Runnable handingOut;
    private final Reservoir<Object> reservoir;

    /**
     * Starts it.
     *
     * @param handingOut runs while a ready connection is handed out
     */
    SimulatedDataSource(
            UserPoolFactory.Parts parts,
            VirtualTime time,
            SimulatedThreads threads,
            SplittableRandom random,
            Runnable handingOut) {
        this.handingOut = handingOut;
        this.parts = parts;
        this.time = time;
        this.threads = threads;
        PoolConfiguration pool = parts.server().pool();
        ReservoirBuilder<Object> builder = Reservoir.builder((Connector<Object>) this)
                .name(parts.name())
                .targets(parts.targets())
                .settings(Settings.builder()
                        .successorAllowance(0)
                        .connectTimeout(pool.connectTimeout())
                        .idleTimeout(parts.isMonitor() ? Duration.ZERO : pool.idleTimeout())
                        .baseLifetime(Duration.ofMinutes(10))
                        .lifetimeJitter(Duration.ofMinutes(1))
                        .opensInFlightMax(parts.targets().maxOpen())
                        .build())
                .time(time)
                .callbacks(time::execute)
                .random(random)
                .leases(parts.share())
                .listener(parts.records());
        if (parts.permits() != null) {
            builder.permits(parts.permits());
        }
        reservoir = builder.build();
    }

    // The driver.

    @Override
    public CompletionStage<Object> open(long timeoutNanos) {
        CompletableFuture<Object> opened = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                Connection raw = parts.connections().getConnection();
                if (!opened.complete(raw)) {
                    raw.close();
                }
            } catch (SQLException e) {
                OpenFailureReason reason = UserPoolSettings.reason(e);
                opened.completeExceptionally(new OpenFailedException(
                        reason == null ? OpenFailureReason.CONNECT : reason, String.valueOf(e.getMessage()), e));
            }
        });
        return opened;
    }

    @Override
    public CompletionStage<Boolean> validate(Object connection, long timeoutNanos) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        threads.execute(() -> {
            AdapterSession session = parts.connections().find((Connection) connection);
            try {
                session.ping(Duration.ofNanos(timeoutNanos));
                answer.complete(true);
            } catch (RemoteException e) {
                answer.complete(false);
            }
        });
        return answer;
    }

    @Override
    public CompletionStage<Void> close(Object connection, DiscardReason reason) {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        time.start(1_000_000, () -> {
            try {
                ((Connection) connection).close();
                closed.complete(null);
            } catch (SQLException e) {
                closed.completeExceptionally(e);
            }
        });
        return closed;
    }

    // The data source.

    @Override
    public @Nullable Connection tryConnection() {
        Pooled<Object> ready = reservoir.tryAcquire();
        handingOut.run();
        return ready == null ? null : new InUse(ready).proxy;
    }

    @Override
    public Connection getConnection(Duration timeout) throws SQLException {
        try {
            return new InUse(threads.await(reservoir.acquireAsync(timeout.toNanos()))).proxy;
        } catch (CompletionException e) {
            if (e.getCause() instanceof NoConnectionException none) {
                throw new SQLTransientConnectionException(none.getMessage(), "08001", none);
            }
            throw e;
        }
    }

    @Override
    public void evict(Connection connection) {
        reservoir.evict(((InUse) Proxy.getInvocationHandler(connection)).pooled);
    }

    @Override
    @SuppressWarnings("unchecked") // this data source holds plain objects
    public void evict(Pooled<?> connection) {
        reservoir.evict((Pooled<Object>) connection);
    }

    @Override
    public @Nullable Connection driverConnection(Pooled<?> connection) {
        return (Connection) connection.connection();
    }

    @Override
    public void flush() {
        reservoir.flush();
    }

    @Override
    public void validateAll() {
        reservoir.suspectAll();
    }

    @Override
    public Counts counts() {
        return reservoir.counts();
    }

    @Override
    public Stats stats() {
        return reservoir.stats();
    }

    @Override
    public void setTargets(Targets targets) {
        reservoir.setTargets(targets);
    }

    @Override
    public CompletionStage<Void> closeAsync(Duration drain) {
        return reservoir.closeAsync(drain);
    }

    /** A connection in use. Its close resets the session and gives it back, as the wrapper of the JDBC door does. */
    private final class InUse implements InvocationHandler {
        final Pooled<Object> pooled;
        final Connection proxy;
        private boolean ended;

        InUse(Pooled<Object> pooled) {
            this.pooled = pooled;
            proxy = (Connection)
                    Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Connection.class}, this);
        }

        @Override
        public @Nullable Object invoke(Object self, Method method, Object[] values) throws Throwable {
            return switch (method.getName()) {
                case "unwrap" -> pooled.connection();
                case "isClosed" -> ended;
                case "close" -> end(false);
                case "abort" -> end(true);
                case "hashCode" -> System.identityHashCode(self);
                case "equals" -> self == values[0];
                default -> throw new UnsupportedOperationException(method.getName());
            };
        }

        private @Nullable Object end(boolean abort) throws SQLException {
            if (ended) {
                return null;
            }
            ended = true;
            Connection raw = (Connection) pooled.connection();
            try {
                if (abort) {
                    raw.abort(Runnable::run);
                    throw new SQLException("aborted");
                }
                parts.connections().reset(raw);
            } catch (SQLException e) {
                reservoir.discard(pooled, DiscardReason.BAD);
                return null;
            }
            reservoir.release(pooled, true);
            return null;
        }
    }
}
