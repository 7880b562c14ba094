package dev.reservoir.dynamodb.processes;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.dynamodb.DynamoBudget;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;

/**
 * One process of the fleet: an engine that holds connections to the {@link RationedServer} within the cluster's budget,
 * and somebody who uses them. Joins the fleet at once and begins to open connections when it is sent a byte. Prints one
 * {@link Report} a line to standard output several times a second, and whatever else is to be said to standard error.
 * Ends in good order when its standard input ends, which is also when its parent is gone; never lives much longer than
 * that.
 */
final class Worker {
    /** What it wants before it is told to begin. */
    private static final Targets NOTHING = new Targets(Rules.TARGETS.maxOpen(), 0, 0, 0);

    private static final Duration REPORTED_EVERY = Duration.ofMillis(200);
    private static final Duration LIFE_MAX = Duration.ofMinutes(10);
    private static final Duration ENDING_MAX = Duration.ofSeconds(40);

    private final PrintStream out;
    private final DynamoBudget budget;
    private final Reservoir<Socket> reservoir;
    private final AtomicLong served = new AtomicLong();
    private final AtomicLong unserved = new AtomicLong();

    private Worker(PrintStream out, String name, int serverPort, URI dynamoDb, String table, FleetRules rules) {
        this.out = out;
        budget = DynamoBudget.builder(Rules.CLUSTER)
                .permitTable(table)
                .leaseTable(table)
                .endpointOverride(dynamoDb)
                .serviceName(name)
                .ratePerSecond(Rules.RATE_PER_SECOND)
                .burst(Rules.BURST)
                .limit(Rules.LIMIT)
                .leaseMode(rules.leaseMode())
                .leaseTime(rules.leaseTime())
                .start();
        StampedPermits permits = new StampedPermits(
                Objects.requireNonNull(budget.permits()), () -> budget.stats().away());
        reservoir = Reservoir.builder(new ServerConnector(name, serverPort, permits))
                .name(name)
                .targets(NOTHING)
                .settings(Settings.builder()
                        .baseLifetime(rules.lifetime())
                        .lifetimeJitter(Rules.LIFETIME_JITTER)
                        .guardWindow(Rules.GUARD_WINDOW)
                        .scanInterval(Duration.ofMillis(200))
                        // In proportion to the lifetimes.
                        .backoff(Duration.ofMillis(100), Duration.ofSeconds(1))
                        .keepalive(Duration.ZERO)
                        .build())
                .permits(permits)
                .leases(Objects.requireNonNull(budget.leases()))
                .build();
    }

    /** Runs one process: its name, the server's port, where DynamoDB is, the table, and the rules of its fleet. */
    public static void main(String[] args) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        // The log goes to standard output, which is for reports here.
        System.setOut(System.err);
        if (LoggerFactory.getLogger("dev.reservoir") instanceof Logger log) {
            log.setLevel(Level.INFO);
        }
        haltAfter(LIFE_MAX);
        FleetRules rules = FleetRules.of(List.of(args).subList(4, args.length));
        Worker worker = new Worker(out, args[0], Integer.parseInt(args[1]), URI.create(args[2]), args[3], rules);
        daemon("reports", worker::report);
        if (readByte() >= 0) {
            worker.reservoir.setTargets(Rules.TARGETS);
            daemon("user", worker::use);
        }
        while (readByte() >= 0) {
            // Nothing more is said to it.
        }
        haltAfter(ENDING_MAX);
        worker.reservoir.close(Duration.ofSeconds(2));
        worker.budget.close();
        System.exit(0);
    }

    private static int readByte() {
        try {
            return System.in.read();
        } catch (IOException e) {
            return -1;
        }
    }

    private static void haltAfter(Duration limit) {
        daemon("halt", () -> {
            long end = System.nanoTime() + limit.toNanos();
            for (long left = limit.toNanos(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            Runtime.getRuntime().halt(3);
        });
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Acquires one connection after the other and asks the server something. */
    private void use() {
        while (!reservoir.isClosed()) {
            try {
                Pooled<Socket> pooled = reservoir.acquire(TimeUnit.SECONDS.toNanos(2));
                if (ServerConnector.answers(pooled.connection())) {
                    reservoir.release(pooled);
                    served.incrementAndGet();
                } else {
                    reservoir.discard(pooled, DiscardReason.BAD);
                }
            } catch (NoConnectionException e) {
                unserved.incrementAndGet();
            } catch (InterruptedException e) {
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(25));
        }
    }

    private void report() {
        while (!reservoir.isClosed()) {
            BudgetStats stats = budget.stats();
            BudgetStats.Leases leases = Objects.requireNonNull(stats.leases());
            BudgetStats.Permits permits = Objects.requireNonNull(stats.permits());
            Counts counts = reservoir.counts();
            out.println(new Report(
                            stats.member(),
                            stats.members(),
                            stats.away(),
                            leases.share(),
                            leases.used(),
                            leases.active(),
                            counts.size(),
                            counts.opening(),
                            served.get(),
                            unserved.get(),
                            leases.declaredDead(),
                            leases.takenBack(),
                            permits.granted(),
                            permits.lapsed(),
                            stats.clockOffMillis())
                    .json());
            LockSupport.parkNanos(REPORTED_EVERY.toNanos());
        }
    }
}
