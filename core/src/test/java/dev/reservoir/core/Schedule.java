package dev.reservoir.core;

import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.Fate.Kind;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.ThrowingListener;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Permits.Permit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One random life of a reservoir: random settings, a random world with faults, random calls at random times, and an
 * end. The same for the same seed. Every event and every call is followed by a check of the promises.
 */
final class Schedule {
    private final SplittableRandom random;
    private final RandomSettings settings;
    private final StringBuilder trace = new StringBuilder();
    private final World world;
    private final List<TestCheckout> checkouts = new ArrayList<>();
    private final List<Pooled<Wire>> held = new ArrayList<>();

    /** How bad the world is, from 0 to 1; changes on the way. */
    private double trouble;

    private final boolean hangs;
    private final boolean throwsErrors;
    private final boolean callsBackAtOdds;

    Schedule(long seed) {
        random = new SplittableRandom(seed);
        settings = new RandomSettings(random);
        hangs = random.nextInt(3) == 0;
        throwsErrors = random.nextInt(4) == 0;
        callsBackAtOdds = random.nextInt(3) == 0;
        trouble = random.nextBoolean() ? 0 : random.nextDouble() * 0.4;
        World.Builder building = World.of(settings.targets())
                .seed(random.nextLong())
                .settings(settings.builder())
                .script(this::script);
        if (random.nextBoolean()) {
            building.rate(1 + random.nextDouble() * 99, 1 + random.nextInt(10));
        }
        if (random.nextBoolean()) {
            building.leases(1 + random.nextInt(settings.targets().maxOpen() + 6));
        }
        if (random.nextBoolean()) {
            building.completesAtOnce();
        }
        if (random.nextInt(3) == 0) {
            building.listener(new ThrowingListener(throwsErrors));
        }
        world = building.build();
    }

    /** What was done, for a schedule that fails. */
    String trace() {
        return trace.toString();
    }

    void run(int calls) {
        for (int i = 0; i < calls; i++) {
            collect();
            if (random.nextInt(100) < 45) {
                pass();
            } else {
                call();
            }
            if ((i & 15) == 0) {
                world.stats();
            }
        }
        if (random.nextBoolean()) {
            recover();
        }
        end();
    }

    /** Everything gets well: the reservoir must fill by itself, whatever was before. */
    private void recover() {
        Targets targets = RandomSettings.anyTargets(random);
        note("recover " + targets);
        trouble = 0;
        world.connector.opening = n -> Fate.succeed(1_000_000L);
        world.connector.validating = wire -> Fate.succeed(1_000_000L);
        world.connector.closing = wire -> Fate.succeed(1_000_000L);
        world.connector.releaseHung();
        if (world.leases != null) {
            world.leases.limit = 1_000;
            world.leases.meanwhile = () -> {};
            world.leases.acquiring = n -> Fate.succeed(0);
            world.leases.releasing = n -> Fate.succeed(0);
            world.leases.releaseHung();
        }
        world.call(world.reservoir::resume);
        world.setTargets(targets);
        collect();
        while (!held.isEmpty()) {
            releaseOne();
        }
        double canHold = world.permits.ratePerSecond() * settings.usableNanos() / 1e9;
        if (canHold < 2 * targets.maxOpen()) {
            return;
        }
        int wanted = Math.max(targets.targetReady(), targets.minOpen());
        world.advanceUntil("filled with " + wanted, Duration.ofMinutes(3), () -> {
            collect();
            while (!held.isEmpty()) {
                releaseOne();
            }
            return world.counts().ready() >= wanted
                    && checkouts.isEmpty()
                    && (world.leases == null || world.leases.owed == 0);
        });
    }

    // The world.

    private void script(World w) {
        w.closesAnswer = false;
        w.validationsAnswer = false;
        w.time.lane = () -> random.nextInt(8);
        w.connector.opening = n -> openingFate();
        w.connector.validating = wire -> otherFate(settings.validationTimeoutNanos());
        w.connector.unresponsive = wire -> wire.broken || random.nextInt(4) == 0;
        w.connector.findingUnresponsive = otherFate(settings.validationTimeoutNanos());
        w.connector.closing = wire -> otherFate(settings.closeTimeoutNanos());
        w.permits.instead = this::permitFault;
        if (w.leases != null) {
            w.leases.acquiring = n -> otherFate(settings.leaseTimeoutNanos());
            w.leases.releasing = n -> otherFate(settings.leaseTimeoutNanos());
            w.leases.meanwhile = () -> recallNowAndThen(w);
        }
    }

    private Fate openingFate() {
        long connect = settings.connectTimeoutNanos();
        if (random.nextDouble() >= trouble) {
            return Fate.succeed(random.nextInt(4) == 0 ? 0 : random.nextLong(connect / 2));
        }
        return switch (random.nextInt(hangs ? 8 : 7)) {
            case 0, 1 -> Fate.fail(anyOf(OpenFailureReason.values()), random.nextLong(connect));
            case 2 -> Fate.of(Kind.THROW);
            case 3 -> new Fate(Kind.FAIL_UNNAMED, random.nextLong(connect), OpenFailureReason.CONNECT);
            case 4 -> Fate.of(random.nextBoolean() ? Kind.NOTHING : Kind.NO_STAGE);
            case 5, 6 -> Fate.succeed(connect / 2 + random.nextLong(2 * connect));
            default -> Fate.hang();
        };
    }

    private Fate otherFate(long timeoutNanos) {
        if (random.nextDouble() >= trouble) {
            return Fate.succeed(random.nextInt(4) == 0 ? 0 : random.nextLong(timeoutNanos / 2 + 1));
        }
        return switch (random.nextInt(hangs ? 7 : 6)) {
            case 0, 1 -> new Fate(Kind.FAIL_UNNAMED, random.nextLong(timeoutNanos), OpenFailureReason.CONNECT);
            case 2 -> Fate.of(Kind.THROW);
            case 3 -> Fate.of(random.nextBoolean() ? Kind.NOTHING : Kind.NO_STAGE);
            case 4, 5 -> Fate.succeed(timeoutNanos / 2 + random.nextLong(2 * timeoutNanos));
            default -> Fate.hang();
        };
    }

    /** Some sources call leases back in the middle of a call, or on the thread that completes one. */
    private void recallNowAndThen(World w) {
        if (callsBackAtOdds && random.nextInt(20) == 0) {
            note("recalled on the way " + w.leases.recall(1 + random.nextInt(3)));
        }
    }

    private @Nullable CompletionStage<Permit> permitFault() {
        if (random.nextDouble() >= trouble / 4) {
            return null;
        }
        return switch (random.nextInt(3)) {
            case 0 -> CompletableFuture.failedFuture(new IllegalStateException("scripted"));
            case 1 -> new CompletableFuture<>();
            default -> throw new IllegalStateException("scripted");
        };
    }

    // What happens.

    private void collect() {
        checkouts.removeIf(checkout -> {
            if (checkout.isServed()) {
                held.add(checkout.pooled());
            }
            return checkout.isDone();
        });
    }

    private void pass() {
        switch (random.nextInt(20)) {
            case 0 -> {
                long by = random.nextLong(3 * settings.baseLifetimeNanos() / 2);
                note("jump " + by);
                world.settle();
                world.clock.jump(by);
            }
            case 1, 2 -> advance(random.nextLong(settings.baseLifetimeNanos() / 2));
            case 3, 4, 5, 6 -> {
                note("step");
                for (int n = random.nextInt(6); n >= 0; n--) {
                    world.stepUntil(Long.MAX_VALUE - 1);
                }
            }
            case 7 -> {
                note("let what hangs come");
                world.connector.releaseHung();
                if (world.leases != null) {
                    world.leases.releaseHung();
                }
            }
            case 8 -> {
                trouble = random.nextBoolean() ? 0 : random.nextDouble() * 0.6;
                note("trouble " + trouble);
            }
            case 9 -> {
                note("break");
                world.connector.open.forEach(wire -> wire.broken |= random.nextInt(3) == 0);
            }
            default -> advance(random.nextLong(200_000_000L));
        }
    }

    private void advance(long byNanos) {
        note("advance " + byNanos);
        world.advanceTo(world.clock.nanos() + byNanos);
    }

    private void call() {
        switch (random.nextInt(44)) {
            case 42, 43 -> done("suspectOthers", () -> world.call(world.reservoir::suspectOthers));
            case 40, 41 -> {
                if (world.leases != null) {
                    int count = random.nextInt(1 + 2 * world.counts().targets().maxOpen());
                    note("recall " + count + ": " + world.recall(count));
                }
            }
            case 0 -> done("suspectAll", world::suspectAll);
            case 1 -> done("flush", () -> world.call(world.reservoir::flush));
            case 2 -> done("pause", () -> world.call(world.reservoir::pause));
            case 3, 4 -> done("resume", () -> world.call(world.reservoir::resume));
            case 5, 6 -> {
                Targets targets = RandomSettings.anyTargets(random);
                done("" + targets, () -> world.setTargets(targets));
            }
            case 7 -> {
                if (!held.isEmpty()) {
                    Pooled<Wire> pooled = held.get(random.nextInt(held.size()));
                    done("evict " + pooled.connection(), () -> world.call(() -> world.reservoir.evict(pooled)));
                }
            }
            case 8 -> {
                if (!checkouts.isEmpty()) {
                    TestCheckout checkout = checkouts.get(random.nextInt(checkouts.size()));
                    done("cancel", () -> world.call(() -> checkout.future.cancel(false)));
                }
            }
            case 9 ->
                done(
                        "watch",
                        () -> world.call(() -> {
                            var unused = world.reservoir.whenReady(random.nextInt(5));
                        }));
            case 10, 11 -> done("checkouts", () -> world.reservoir.checkouts(Duration.ZERO));
            case 12, 13, 14, 15 -> discardOne();
            case 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26 -> releaseOne();
            case 27, 28, 29, 30 -> {
                note("tryAcquire");
                Pooled<Wire> got = world.tryAcquire();
                if (got != null) {
                    held.add(got);
                }
            }
            default -> {
                long timeout = random.nextInt(8) == 0 ? 0 : random.nextLong(2_000_000_000L);
                note("acquire " + timeout);
                checkouts.add(world.acquire(timeout));
            }
        }
    }

    private void releaseOne() {
        if (!held.isEmpty()) {
            Pooled<Wire> pooled = held.remove(random.nextInt(held.size()));
            done("release " + pooled.connection(), () -> world.release(pooled));
        }
    }

    private void discardOne() {
        if (!held.isEmpty()) {
            Pooled<Wire> pooled = held.remove(random.nextInt(held.size()));
            done("discard " + pooled.connection(), () -> world.discard(pooled, DiscardReason.BAD));
            if (random.nextBoolean()) {
                done("suspectAll", world::suspectAll);
            }
        }
    }

    /** Closes with a random drain, releases some connections meanwhile and some only after the end. */
    private void end() {
        long drain = random.nextInt(3) == 0 ? 0 : random.nextLong(5_000_000_000L);
        note("close " + drain);
        List<CompletableFuture<Void>> closes = new ArrayList<>();
        world.call(() -> closes.add(world.reservoir.closeAsync(Duration.ofNanos(drain))));
        for (int n = random.nextInt(12); n > 0 && !closes.get(0).isDone(); n--) {
            collect();
            switch (random.nextInt(6)) {
                case 0 -> releaseOne();
                case 1 -> discardOne();
                case 2 -> {
                    note("close again");
                    Duration other = Duration.ofNanos(random.nextLong(1 + drain));
                    world.call(() -> closes.add(world.reservoir.closeAsync(other)));
                }
                case 3 -> call();
                default -> {
                    long until = world.clock.nanos() + random.nextLong(300_000_000L);
                    note("advance to " + until);
                    while (!closes.get(0).isDone() && world.stepUntil(until)) {
                        // Each step checks.
                    }
                }
            }
        }
        world.advanceUntil("closed", Duration.ofHours(1), closes.get(0)::isDone);
        world.settle();
        collect();
        note("ended");
        world.checkEnd();
        if (!closes.stream().allMatch(CompletableFuture::isDone)) {
            throw new AssertionError("promise 9: one close has completed, another has not");
        }
        while (!held.isEmpty()) {
            releaseOne();
        }
        world.settle();
        world.checkEnd();
    }

    private void done(String what, Runnable call) {
        note(what);
        call.run();
    }

    private void note(String what) {
        trace.append(world.clock.nanos()).append(' ').append(what).append('\n');
    }

    private <E> E anyOf(E[] all) {
        return all[random.nextInt(all.length)];
    }
}
