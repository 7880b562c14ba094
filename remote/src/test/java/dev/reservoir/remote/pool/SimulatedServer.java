package dev.reservoir.remote.pool;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** One server on virtual time with its leases and the engines of its users. Fails at once if the cap is exceeded. */
final class SimulatedServer {
    static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    final VirtualTime time;
    final SplittableRandom random;
    final ServerLeases leases;
    final List<User> users = new ArrayList<>();
    int max;

    /** Connections that exist or are being opened, as the server sees them. */
    final Set<Object> sessions = new HashSet<>();

    int sessionsMost;

    /** The server refuses connects, and open sessions do not answer. */
    boolean away;

    /** Connects get no answer before their deadline. */
    boolean hangs;

    /** The server says that it has no place left. */
    boolean full;

    double failureRate;

    SimulatedServer(String name, int max, VirtualTime time, SplittableRandom random) {
        this.time = time;
        this.random = random;
        this.max = max;
        leases = new ServerLeases(name, max, 0, this::lookSoon);
    }

    private boolean looksSoon;

    private void lookSoon() {
        if (!looksSoon) {
            looksSoon = true;
            time.start(10 * MS, () -> {
                looksSoon = false;
                leases.look();
            });
        }
    }

    /** Ends all sessions. Nobody is told. */
    void killSessions() {
        dead.addAll(sessions);
    }

    private final Set<Object> dead = new HashSet<>();

    /** Fails if what the registry counts exceeds the limit. */
    void check() {
        int open = 0;
        for (User user : users) {
            open += user.pool.counts().ready() + user.pool.counts().inUse();
        }
        if (open > max || leases.held() > max || sessions.size() > max) {
            throw new IllegalStateException("the cap is exceeded: " + open + " open, " + leases.held() + " leases, "
                    + sessions.size() + " sessions of " + max);
        }
    }

    User user(String name, int min) {
        User user = new User(name, min);
        users.add(user);
        return user;
    }

    void close() {
        for (User user : users) {
            var unused = user.pool.closeAsync(Duration.ofSeconds(1));
        }
        time.advance(Duration.ofSeconds(30).toNanos());
    }

    /** A local user: a pool, and callers that acquire, hold and release. */
    final class User implements Connector<Object>, Listener<Object> {
        final String name;
        final ServerLeases.Share share;
        final Reservoir<Object> pool;
        int served;
        int refused;
        int broken;
        long longestWaitNanos;
        String lastRefusal = "";
        boolean isGreedy;

        User(String name, int min) {
            this.name = name;
            share = leases.join(name, min);
            pool = Reservoir.builder(this)
                    .name(name)
                    .targets(new Targets(max, 0, 0, min))
                    .settings(Settings.builder()
                            .successorAllowance(0)
                            .connectTimeout(Duration.ofSeconds(2))
                            .idleTimeout(Duration.ofMinutes(5))
                            .baseLifetime(Duration.ofHours(1))
                            .lifetimeJitter(Duration.ofMinutes(6))
                            .keepalive(Duration.ZERO)
                            .validationInterval(Duration.ZERO)
                            .build())
                    .leases(share)
                    .time(time)
                    .callbacks(time::execute)
                    .random(random.split())
                    .listener(this)
                    .build();
            share.countedBy(pool::counts);
        }

        @Override
        public boolean neverBlocks() {
            return true;
        }

        @Override
        public void waitBegan() {
            share.waiterJoined();
        }

        @Override
        public CompletionStage<Object> open(long timeoutNanos) {
            CompletableFuture<Object> opened = new CompletableFuture<>();
            Object session = new Object();
            sessions.add(session);
            sessionsMost = Math.max(sessionsMost, sessions.size());
            if (sessions.size() > max) {
                throw new IllegalStateException("the cap is exceeded: " + sessions.size() + " of " + max);
            }
            boolean fails = away || random.nextDouble() < failureRate;
            // A driver ends a connect that hangs some time after the deadline, with or without a connection.
            long takesNanos = hangs ? random.nextLong(timeoutNanos, 3 * timeoutNanos) : random.nextLong(1, 10) * MS;
            time.start(takesNanos, () -> {
                if (full || fails || away) {
                    sessions.remove(session);
                    OpenFailureReason reason = full ? OpenFailureReason.SERVER_FULL : OpenFailureReason.CONNECT;
                    opened.completeExceptionally(new OpenFailedException(reason, "the server refuses", null));
                } else {
                    opened.complete(session);
                }
            });
            return opened;
        }

        @Override
        public CompletionStage<Boolean> validate(Object connection, long timeoutNanos) {
            return CompletableFuture.completedFuture(!away && !dead.contains(connection));
        }

        @Override
        public CompletionStage<Void> close(Object connection, DiscardReason reason) {
            CompletableFuture<Void> closed = new CompletableFuture<>();
            time.start(random.nextLong(1, 3) * MS, () -> {
                if (!sessions.remove(connection)) {
                    throw new IllegalStateException("a connection was closed twice");
                }
                dead.remove(connection);
                closed.complete(null);
            });
            return closed;
        }

        /** Acquires once, holds for this long and releases. */
        void call(long timeoutNanos, long holdNanos, Runnable then) {
            long begun = time.nanos();
            CompletionStage<Pooled<Object>> acquired = pool.acquireAsync(timeoutNanos);
            acquired.whenComplete((connection, error) -> {
                long waited = time.nanos() - begun;
                longestWaitNanos = Math.max(longestWaitNanos, waited);
                if (waited > timeoutNanos + MS) {
                    throw new IllegalStateException(name + " waited past its deadline: " + waited / MS + " ms");
                }
                if (error != null) {
                    refused++;
                    lastRefusal = String.valueOf(error.getMessage());
                    if (!(error instanceof NoConnectionException)) {
                        throw new IllegalStateException(error);
                    }
                    then.run();
                } else {
                    time.start(holdNanos, () -> release(connection, then));
                }
            });
        }

        private void release(Pooled<Object> connection, Runnable then) {
            if (away || dead.contains(connection.connection())) {
                broken++;
                pool.discard(connection, DiscardReason.BAD);
            } else {
                served++;
                pool.release(connection);
            }
            then.run();
        }

        /** Starts callers that begin again as soon as they have released, until the end. */
        void loop(int callers, long holdNanos, long pauseNanos, long untilNanos) {
            for (int i = 0; i < callers; i++) {
                again(holdNanos, pauseNanos, untilNanos);
            }
        }

        private void again(long holdNanos, long pauseNanos, long untilNanos) {
            if (time.nanos() < untilNanos) {
                call(
                        Duration.ofSeconds(5).toNanos(),
                        holdNanos,
                        () -> time.start(pauseNanos, () -> again(holdNanos, pauseNanos, untilNanos)));
            }
        }
    }
}
