package dev.reservoir.sim.world;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.core.util.TokenBucket;
import dev.reservoir.sim.pools.Link;
import dev.reservoir.sim.result.Sample.Event;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.stats.ConnectsPerSecond;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A database with the limits of the scenario. It decides on a connect when the connect arrives, and answers when the
 * handshake is over. It refuses connects beyond its rate with 53400 and beyond its connection limit with 53300. A
 * connection may count towards that limit for some time after its end. It closes connections that are too old. Never
 * tells a client that it closed a connection: the client notices at the next use.
 */
final class SimulatedDatabase {
    /** Time that a validation takes to reach the database. */
    private static final long VALIDATION_NANOS = 1_000_000L;

    /** Time for which the engine waits for a close. A longer close counts as slow. */
    private static final long PATIENCE_FOR_CLOSE_NANOS = Settings.defaults().closeTimeoutNanos();

    /** Number of steps in the histogram of the ages at which connections end. */
    private static final int AGE_STEPS = 40;

    private final VirtualTime clock;
    private final Scenario.Database limits;
    private final long maxAgeNanos;
    private final long closedHeldNanos;
    private final RandomGenerator random;
    final ConnectsPerSecond seconds = new ConnectsPerSecond();
    private final ArrayDeque<Link> byAge = new ArrayDeque<>();
    private final List<Runnable> hanging = new ArrayList<>();
    private final long[] ages = new long[AGE_STEPS];
    private final long ageStepNanos;
    private final double fleetRatePerSecond;

    /** Limits the rate of connects; null if there is no limit. */
    private final @Nullable TokenBucket rate;

    private double beyondRate;
    private double mostBeyondRate;
    private long lastConnectNanos;
    private int inHandshake;

    /** Connections that have ended and still count towards the limit. */
    private int heldClosed;

    private long connects;
    private int outages;
    private boolean away;
    private boolean cutting;
    private double hungShare;
    private @Nullable Latency slowHandshake;

    /**
     * Creates a database without connections.
     *
     * @param fleetRatePerSecond the rate at which the fleet intends to connect
     */
    SimulatedDatabase(
            VirtualTime clock,
            Scenario.Database limits,
            double fleetRatePerSecond,
            long longestLifetimeNanos,
            RandomGenerator random) {
        this.clock = clock;
        this.limits = limits;
        this.fleetRatePerSecond = fleetRatePerSecond;
        this.maxAgeNanos = limits.maxAge().toNanos();
        this.closedHeldNanos = limits.closedHeldFor().toNanos();
        this.random = random;
        this.rate = limits.ratePerSecond() <= 0
                ? null
                : new TokenBucket(limits.ratePerSecond(), Math.max(1, limits.burst()), clock.nanos());
        this.ageStepNanos = Math.max(1, longestLifetimeNanos / AGE_STEPS);
    }

    /** The largest number of connects, over all time windows, by which a window exceeded the fleet's rate. */
    double mostBeyondRate() {
        return mostBeyondRate;
    }

    int open() {
        return seconds.open();
    }

    List<Long> ages() {
        return Arrays.stream(ages).boxed().toList();
    }

    long ageStepNanos() {
        return ageStepNanos;
    }

    /** Handles a connect that arrives. The future completes in the client's process. */
    CompletableFuture<Link> connect(SimulatedProcess client) {
        CompletableFuture<Link> answer = new CompletableFuture<>();
        long now = clock.nanos();
        seconds.connect(now);
        beyondRate = Math.max(0, beyondRate - (now - lastConnectNanos) * fleetRatePerSecond / 1e9) + 1;
        mostBeyondRate = Math.max(mostBeyondRate, beyondRate);
        lastConnectNanos = now;
        long handshake = (slowHandshake == null ? limits.handshake() : slowHandshake).draw(random);
        boolean hangs = hungShare > 0 && random.nextDouble() < hungShare;
        if (away) {
            refuse(client, answer, 0, OpenFailureReason.CONNECT, "connection refused (08001)");
        } else if (rate != null && !rate.tryTake(now)) {
            seconds.refusedByRate(now);
            client.service.count(Event.REFUSED);
            refuse(client, answer, handshake, OpenFailureReason.SERVER_RATE, "connection rate exceeded (53400)");
        } else if (hangs) {
            hanging.add(() -> admit(client, answer, handshake));
        } else {
            admit(client, answer, handshake);
        }
        return answer;
    }

    private void refuse(
            SimulatedProcess client,
            CompletableFuture<Link> answer,
            long afterNanos,
            OpenFailureReason reason,
            String message) {
        clock.start(
                afterNanos,
                () -> client.time.deliver(
                        () -> answer.completeExceptionally(new OpenFailedException(reason, message, null))));
    }

    private void admit(SimulatedProcess client, CompletableFuture<Link> answer, long handshakeNanos) {
        if (limits.cap() > 0 && seconds.open() + inHandshake + heldClosed >= limits.cap()) {
            seconds.refusedByCap(clock.nanos());
            client.service.count(Event.REFUSED);
            refuse(client, answer, handshakeNanos, OpenFailureReason.SERVER_FULL, "too many connections (53300)");
            return;
        }
        inHandshake++;
        int outagesBefore = outages;
        clock.start(handshakeNanos, () -> {
            inHandshake--;
            if (away || outages > outagesBefore) {
                refuse(client, answer, 0, OpenFailureReason.CONNECT, "connection reset (08006)");
                return;
            }
            Link link = opened(client);
            if (client.isDead()) {
                client.orphaned(link);
            } else {
                client.time.deliver(() -> answer.complete(link));
            }
        });
    }

    private Link opened(SimulatedProcess client) {
        long now = clock.nanos();
        Link link = new Link(++connects, now, client);
        seconds.opened(now);
        client.links.add(link);
        client.service.open++;
        if (maxAgeNanos > 0) {
            byAge.add(link);
            if (!cutting) {
                cutting = true;
                cutNext();
            }
        }
        return link;
    }

    private void cutNext() {
        Link oldest;
        while ((oldest = byAge.peek()) != null && !oldest.open) {
            byAge.remove();
        }
        if (oldest == null) {
            cutting = false;
            return;
        }
        Link due = oldest;
        clock.start(due.bornNanos + maxAgeNanos - clock.nanos(), () -> {
            drop(due);
            cutNext();
        });
    }

    /** Closes the database's end of a connection, if it is still open. The client's end no longer works. */
    void drop(Link link) {
        if (!link.open) {
            return;
        }
        link.broken = true;
        if (link.held) {
            ((SimulatedProcess) link.owner).lostHeld();
        }
        gone(link);
    }

    private void gone(Link link) {
        if (link.open) {
            link.open = false;
            long now = clock.nanos();
            seconds.closed(now);
            SimulatedProcess owner = (SimulatedProcess) link.owner;
            owner.links.remove(link);
            owner.service.open--;
            ages[(int) Math.min(AGE_STEPS - 1, (now - link.bornNanos) / ageStepNanos)]++;
            if (closedHeldNanos > 0) {
                holdClosed();
            }
        }
    }

    private void holdClosed() {
        heldClosed++;
        int outagesBefore = outages;
        clock.start(closedHeldNanos, () -> {
            if (outages == outagesBefore) {
                heldClosed--;
            }
        });
    }

    CompletableFuture<Boolean> validate(SimulatedProcess client, Link link) {
        Validation validation = new Validation(client, link);
        clock.start(VALIDATION_NANOS, validation);
        return validation.answer;
    }

    /**
     * A validation in progress. It runs twice: when it reaches the database, and when the answer reaches the client.
     * One object serves both, instead of two lambdas, because a simulation runs very many validations.
     */
    private static final class Validation implements Runnable {
        private final SimulatedProcess client;
        private final Link link;
        private final CompletableFuture<Boolean> answer = new CompletableFuture<>();
        private boolean answered;
        private boolean works;

        Validation(SimulatedProcess client, Link link) {
            this.client = client;
            this.link = link;
        }

        @Override
        public void run() {
            if (answered) {
                answer.complete(works);
            } else {
                answered = true;
                works = !link.broken;
                client.time.deliver(this);
            }
        }
    }

    CompletableFuture<Void> close(SimulatedProcess client, Link link, DiscardReason reason) {
        if (link.closeBegun) {
            client.brokePromise(5, link + " is closed twice, now as " + reason.label());
        }
        link.closeBegun = true;
        CompletableFuture<Void> answer = new CompletableFuture<>();
        long takes = limits.close().draw(random);
        int slow = takes >= PATIENCE_FOR_CLOSE_NANOS ? 1 : 0;
        client.slowCloses += slow;
        clock.start(takes, () -> {
            client.slowCloses -= slow;
            gone(link);
            client.time.deliver(() -> answer.complete(null));
        });
        return answer;
    }

    // Faults.

    void goAway(List<SimulatedProcess> everyone) {
        away = true;
        for (SimulatedProcess process : everyone) {
            List.copyOf(process.links).forEach(this::drop);
        }
        // The sessions end with the server, and their timers belong to the time before the outage.
        outages++;
        heldClosed = 0;
    }

    void comeBack() {
        away = false;
    }

    /**
     * Makes this share of the connects hang from now on. If the share is 0, the database answers the hanging connects
     * late.
     */
    void hang(double share) {
        hungShare = share;
        if (share == 0) {
            List<Runnable> late = List.copyOf(hanging);
            hanging.clear();
            late.forEach(Runnable::run);
        }
    }

    void slowDown(@Nullable Latency handshake) {
        slowHandshake = handshake;
    }
}
