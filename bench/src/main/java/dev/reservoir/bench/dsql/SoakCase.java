package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Polling;
import dev.reservoir.bench.dsql.Emulated.Counted;
import dev.reservoir.bench.dsql.SoakJudge.Evidence;
import dev.reservoir.bench.report.Unit;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspectionReport;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Member;
import dev.reservoir.demo.workflow.WorkflowStore;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.id.NodeIdSource;
import dev.reservoir.dsql.id.SnowflakeIds;
import dev.reservoir.dsql.tx.Transactions;
import dev.reservoir.emulator.Limits;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Eight processes run workflows on one emulated cluster with a real PostgreSQL server while random faults happen.
 * Lifetimes are shorter than a minute, and the cluster's budget is on DynamoDB Local. At the end the judge decides
 * whether every promise was kept.
 */
record SoakCase(long seed, PrintStream out) {
    static final Limits LIMITS = Emulated.limits(20, 40, 130, Duration.ofSeconds(60));
    static final Duration LEASE_TIME = Duration.ofSeconds(15);

    private static final int FULL = SoakFleet.PROCESSES * SoakWorker.SIZE;
    private static final Duration FILL_LIMIT = Duration.ofMinutes(2);
    private static final Duration SETTLE_LIMIT = Duration.ofSeconds(90);
    private static final Duration INTERVAL = Duration.ofMillis(500);

    /** Runs the case. Returns whether every promise was kept. */
    boolean run(Duration length) throws IOException, InterruptedException, SQLException {
        try (Emulated database = Emulated.start("embedded", "512m", LIMITS);
                SoakTable table = new SoakTable(settings());
                SoakFleet fleet = new SoakFleet(database.access(), table.url())) {
            makeTables(database.access());
            for (int i = 0; i < SoakFleet.PROCESSES; i++) {
                fleet.start(i);
            }
            if (!awaitFull(database, FILL_LIMIT)) {
                throw new IllegalStateException("the fleet did not fill: " + database.counted());
            }
            out.printf(
                    Locale.ROOT, "%d processes are full; faults for %s, seed %d%n", SoakFleet.PROCESSES, length, seed);
            SoakFaults faults = new SoakFaults(seed, database, table, fleet, out);
            faults.run(length);
            List<String> leases = new ArrayList<>(leasesWhileFull(database, table));
            SoakState sum = fleet.sum();
            leases.addAll(fleet.end());
            leases.addAll(leasesAfterTheEnd(table));
            Counted counted = database.counted();
            Evidence evidence = new Evidence(
                    fleet.failures(),
                    faults.drops,
                    counted.refused() - faults.refusedAtLowRate,
                    counted.refusedByToken() - faults.refusedTokens,
                    counted.agedOut(),
                    sum,
                    leases);
            return print(evidence, faults, counted);
        }
    }

    private static ClusterSettings settings() {
        return ClusterSettings.builder(Access.HOST)
                .ratePerSecond(LIMITS.ratePerSecond())
                .burst(LIMITS.burst())
                .limit(LIMITS.maxOpen())
                .leaseTime(LEASE_TIME)
                .build();
    }

    /** Runs before the fleet starts, and pauses so that its connects do not count against the fleet. */
    private static void makeTables(Access access) throws SQLException, InterruptedException {
        try (DsqlDataSource one = access.builder().name("tables").maxOpen(1).build()) {
            WorkflowStore store =
                    new WorkflowStore(Transactions.on(one), SnowflakeIds.of(NodeIdSource.fixed(SoakFleet.PROCESSES)));
            store.createSchema();
            store.createShards(SoakFleet.PROCESSES * SoakWorker.SHARDS);
        }
        Thread.sleep(1_000);
    }

    private static boolean awaitFull(Emulated database, Duration limit) throws IOException, InterruptedException {
        return Polling.until(limit, INTERVAL, () -> database.counted().open() >= FULL);
    }

    /** Once the fleet is quiet, the leases that are counted must match the connections that are open. */
    private List<String> leasesWhileFull(Emulated database, SoakTable table) throws IOException, InterruptedException {
        boolean right = Polling.until(
                SETTLE_LIMIT, INTERVAL, () -> wrongLeases(database, table).isEmpty());
        return right
                ? List.of()
                : List.of("the leases are not right within " + SETTLE_LIMIT.toSeconds() + " s of the last fault: "
                        + wrongLeases(database, table));
    }

    /** Compares the leases of a full fleet with its open connections. Returns the fault in words, or an empty text. */
    private String wrongLeases(Emulated database, SoakTable table) throws IOException, InterruptedException {
        ClusterInspectionReport report = table.inspect();
        int open = database.counted().open();
        long used = report.members().stream().mapToLong(Member::used).sum();
        int members = report.members().size();
        String counts = members + " members use " + used + " leases, " + open + " connections are open";
        if (report.isRight() && members == SoakFleet.PROCESSES && open >= FULL && used == open) {
            out.println("leases: " + counts + ", " + givenOut(report) + " leases are given out");
            return "";
        }
        return report.isRight() ? counts : report.findings() + " " + counts;
    }

    private static List<String> leasesAfterTheEnd(SoakTable table) throws InterruptedException {
        if (Polling.until(SETTLE_LIMIT, INTERVAL, () -> isAllReleased(table.inspect()))) {
            return List.of();
        }
        ClusterInspectionReport report = table.inspect();
        return List.of(givenOut(report) + " leases are left over after the end, " + report.findings());
    }

    private static boolean isAllReleased(ClusterInspectionReport report) {
        return givenOut(report) == 0 && report.isRight();
    }

    /** The leases that are given out, or -1 if the table has no count. */
    private static long givenOut(ClusterInspectionReport report) {
        ClusterInspectionReport.Shares shares = report.shares();
        return shares == null ? -1 : shares.total();
    }

    private boolean print(Evidence evidence, SoakFaults faults, Counted counted) {
        SoakState sum = evidence.sum();
        long cut = evidence.failures().stream()
                .filter(failure -> SoakJudge.isCut(failure, evidence.drops()))
                .count();
        out.printf(Locale.ROOT, "faults: %s%n", faults.summary());
        out.printf(
                Locale.ROOT,
                "requests: %d, failed %d, of which %d were cut%n",
                sum.requests(),
                evidence.failures().size(),
                cut);
        out.printf(
                Locale.ROOT,
                "request p99.9 of the slowest process: %s, longest: %s%n",
                time(sum.requestP999Nanos()),
                time(sum.requestLongestNanos()));
        out.printf(
                Locale.ROOT,
                "checkouts of ready connections: %d, above 1 ms %d (%.3f %%), p99 of the slowest process %s, longest %s; %d waited, up to %s%n",
                sum.checkouts(),
                sum.slow(),
                100.0 * sum.slow() / Math.max(1, sum.checkouts()),
                time(sum.checkoutP99Nanos()),
                time(sum.checkoutLongestNanos()),
                sum.waits(),
                time(sum.waitLongestNanos()));
        out.printf(
                Locale.ROOT,
                "connects: %d, refused during low rates %d, otherwise %d; tokens refused on purpose %d, otherwise %d; cut off for age %d%n",
                counted.accepted(),
                faults.refusedAtLowRate,
                evidence.refused(),
                faults.refusedTokens,
                evidence.refusedTokens(),
                evidence.agedOut());
        List<String> broken = SoakJudge.broken(evidence);
        broken.forEach(line -> out.println("BROKEN: " + line));
        evidence.failures().stream()
                .filter(failure -> !SoakJudge.isCut(failure, evidence.drops()))
                .limit(20)
                .forEach(failure -> out.println("  " + failure));
        out.println(broken.isEmpty() ? "every promise was kept" : broken.size() + " promises were broken");
        return broken.isEmpty();
    }

    private static String time(long nanos) {
        return Unit.NANOS.format((double) nanos);
    }
}
