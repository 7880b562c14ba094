package dev.reservoir.bench.cluster;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A model of a Go process. Its refiller opens one connection after the other. For each it asks the item of the current
 * second for a permit until it gets one, takes a lease in a transaction of two items, and connects. A scan closes
 * connections at the end of their lifetime and releases each lease in a transaction of two items. Everything runs on
 * the time of the process.
 */
final class GoProcess extends FleetProcess {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final long IDLE_NANOS = 100 * MILLI;
    private static final long AFTER_FAILURE_NANOS = 250 * MILLI;
    private static final long BACKOFF_NANOS = 25 * MILLI;
    private static final long PERMIT_WAIT_NANOS = 30 * SECOND;
    private static final long BASE_LIFETIME_NANOS = Duration.ofMinutes(11).toNanos();
    private static final long JITTER_NANOS = Duration.ofMinutes(2).toNanos();
    private static final long GUARD_NANOS = Duration.ofSeconds(45).toNanos();

    private final FleetPlan plan;
    private final World world;
    private final GoItems items;
    private final CountingDatabase database;
    private final ArrayDeque<Held> ready = new ArrayDeque<>();
    private long permitByNanos;
    private boolean ended;

    private record Held(Connection connection, String leaseId, long untilNanos) {}

    GoProcess(String name, MeasuredFleet fleet) {
        super(name, fleet);
        this.plan = fleet.plan;
        this.world = fleet.world;
        this.items = new GoItems(fleet.cluster, name, plan.ratePerSecond(), LIMIT);
        this.database = fleet.database;
        time.execute(this::refill);
        time.schedule(SECOND, this::scan);
    }

    @Override
    String member() {
        return "";
    }

    private void refill() {
        if (ended) {
            return;
        }
        if (ready.size() >= plan.size()) {
            time.schedule(IDLE_NANOS, this::refill);
            return;
        }
        permitByNanos = time.nanos() + PERMIT_WAIT_NANOS;
        askForPermit();
    }

    private void askForPermit() {
        long millis = world.wallClock().millis();
        whenAnswered(store.write(items.permit(millis)), answer -> {
            if (ended) {
                return;
            }
            if (answer == null) {
                refillLater();
            } else if (answer.applied()) {
                takeLease();
            } else if (time.nanos() >= permitByNanos) {
                refillLater();
            } else {
                time.schedule(backoffNanos(), this::askForPermit);
            }
        });
    }

    /** About 25 ms, or the time until the next second begins if that is shorter. */
    private long backoffNanos() {
        long toNextSecond = (1_000 - Math.floorMod(world.wallClock().millis(), 1_000L)) * MILLI;
        return Math.min(toNextSecond, (long) (BACKOFF_NANOS * (0.5 + random.nextDouble())));
    }

    private void takeLease() {
        String id = id();
        whenAnswered(store.transact(items.acquire(id, world.wallClock().millis()), id()), answer -> {
            if (ended) {
                return;
            }
            if (answer == null || !answer.applied()) {
                refillLater();
            } else {
                connect(id);
            }
        });
    }

    private void connect(String leaseId) {
        whenAnswered(database.connect(name), connection -> {
            if (connection == null || ended) {
                var unused = release(leaseId);
                if (connection != null) {
                    database.close(connection);
                }
                refillLater();
                return;
            }
            long lifetime = BASE_LIFETIME_NANOS - JITTER_NANOS / 2 + random.nextLong(JITTER_NANOS) - GUARD_NANOS;
            ready.add(new Held(connection, leaseId, time.nanos() + lifetime));
            refill();
        });
    }

    private void refillLater() {
        time.schedule(AFTER_FAILURE_NANOS, this::refill);
    }

    private void scan() {
        if (ended) {
            return;
        }
        long now = time.nanos();
        for (Iterator<Held> each = ready.iterator(); each.hasNext(); ) {
            Held held = each.next();
            if (held.untilNanos <= now) {
                each.remove();
                database.close(held.connection);
                var unused = release(held.leaseId);
            }
        }
        time.schedule(SECOND, this::scan);
    }

    private CompletionStage<?> release(String leaseId) {
        return store.transact(items.release(leaseId, world.wallClock().millis()), id());
    }

    /** Releases the leases one after the other. */
    @Override
    CompletionStage<Void> leave() {
        CompletableFuture<Void> left = new CompletableFuture<>();
        time.execute(() -> {
            ended = true;
            releaseNext(left);
        });
        return left;
    }

    private void releaseNext(CompletableFuture<Void> left) {
        Held next = ready.poll();
        if (next == null) {
            left.complete(null);
        } else {
            database.close(next.connection);
            whenAnswered(release(next.leaseId), unused -> releaseNext(left));
        }
    }

    private String id() {
        return String.format("%016x%016x", random.nextLong(), random.nextLong());
    }

    /** Passes the answer to {@code then} on the time of this process, or null after an error. */
    private <T> void whenAnswered(CompletionStage<T> stage, Consumer<@Nullable T> then) {
        var unused =
                stage.whenComplete((answer, error) -> time.execute(() -> then.accept(error == null ? answer : null)));
    }
}
