package dev.reservoir.dynamodb.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight processes share the budget of one cluster through a real store, each by a way of its own. They are killed,
 * stopped, cut off and left without the store; nothing may ever be above the rate or the cap but what nobody can help,
 * and the items are right again soon after.
 *
 * <p>Nothing here depends on how fast the machine is: what takes time is waited for, and what is late is measured.
 */
class FleetOfProcessesTest {
    /** How long a process that was taken for dead may hold more than it has leases for, once it is back. */
    private static final long AFTERMATH_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How long after the items have changed that is seen. */
    private static final long NOTICED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<String> measured = new ArrayList<>();

    /** What these let through came by no permit of the store. */
    private final List<Predicate<Arrival>> withoutPermit = new ArrayList<>();

    private int openedAlone;

    /** When a process to which something was done was itself again. */
    private final Map<String, TreeSet<Long>> settledNanos = new HashMap<>();

    /** Held by each process when all was well, in the order of the samples. */
    private final Map<String, List<Integer>> held = new HashMap<>();

    @Test
    void eightProcessesStayWithinOneBudgetWhateverHappensToThem(@TempDir Path folder) {
        long begun = System.nanoTime();
        try (Fleet fleet = new Fleet(folder)) {
            try {
                fillFromCold(fleet);
                killTwo(fleet);
                if (WorkerProcess.canStop()) {
                    stopOne(fleet);
                } else {
                    note("nothing stopped: this machine has no signals for that");
                }
                cutOneOff(fleet);
                takeTheStoreAway(fleet);
                endInGoodOrder(fleet);
                judge(fleet);
            } catch (RuntimeException | Error e) {
                System.out.println(fleet.story());
                throw e;
            } finally {
                note(String.format("%.0f s in all", since(begun)));
                measured.forEach(line -> System.out.println("fleet of processes: " + line));
            }
        }
    }

    private void fillFromCold(Fleet fleet) {
        long started = System.nanoTime();
        List<WorkerProcess> all = fleet.start(Rules.PROCESSES);
        // All begin at the same moment, however long each takes to start.
        fleet.awaitExactItems();
        note(String.format("started within %.1f s", since(started)));
        long begun = System.nanoTime();
        all.forEach(WorkerProcess::begin);
        fleet.awaitGoodUse();
        note(String.format("filled within %.1f s", since(begun)));
        fleet.awaitExactItems();
        sample(fleet);
    }

    private void killTwo(Fleet fleet) {
        List<WorkerProcess> victims = fleet.living().subList(0, 2);
        fleet.kill(victims);
        long killed = System.nanoTime();
        fleet.start(2).forEach(WorkerProcess::begin);
        Fleet.eventually(
                "the dead out of the items",
                () -> assertThat(fleet.items().latest().processes()).doesNotContainAnyElementsOf(Fleet.names(victims)));
        note(String.format("killed ones taken back after %.1f s", since(killed)));
        settle(fleet, "kill", killed, Set.of());
    }

    /** It is stopped for longer than a lease, others take over what it held, and then it goes on. */
    private void stopOne(Fleet fleet) {
        WorkerProcess stopped = fleet.living().get(0);
        String name = stopped.name();
        long deaths = stopped.report().declaredDead();
        fleet.connects().excuse(Set.of(name));
        stopped.stop();
        long stoppedNanos = System.nanoTime();
        int holds = fleet.connects().open(name);
        Fleet.eventually("the lease of the stopped one over", () -> {
            assertThat(System.nanoTime() - stoppedNanos).isGreaterThan(Rules.LEASE_TIME.toNanos());
            assertThat(fleet.items().latest().processes()).doesNotContain(name);
        });
        awaitHeirs(fleet);
        note(String.format(
                "stopped one held %d, all together %d", holds, fleet.connects().open()));
        stopped.goOn();
        long wentOn = System.nanoTime();
        long wentOnMicros = ServerConnector.nowMicros();
        // Permits that it had when it was stopped: what was under way goes on.
        withoutPermit.add(arrival -> arrival.process().equals(name)
                && arrival.greeting().grantedMicros() < wentOnMicros
                && arrival.atMicros() >= wentOnMicros);
        Fleet.eventually(
                "it to notice",
                () -> assertThat(stopped.report().declaredDead()).isGreaterThan(deaths));
        settle(fleet, "stop", wentOn, Set.of(name));
    }

    /** The store goes away for one of them, for longer than a lease. It serves on, alone. */
    private void cutOneOff(Fleet fleet) {
        WorkerProcess cut = fleet.living().get(1);
        String name = cut.name();
        long deaths = cut.report().declaredDead();
        fleet.connects().excuse(Set.of(name));
        cut.proxy().cut();
        long cutNanos = System.nanoTime();
        long cutMicros = ServerConnector.nowMicros();
        Fleet.eventually("it to notice", () -> assertThat(cut.report().away()).isTrue());
        Fleet.eventually("its lease over", () -> {
            assertThat(System.nanoTime() - cutNanos).isGreaterThan(Rules.LEASE_TIME.toNanos());
            assertThat(fleet.items().latest().processes()).doesNotContain(name);
        });
        awaitHeirs(fleet);
        fleet.awaitService(cut);
        cut.proxy().restore();
        long restored = System.nanoTime();
        Fleet.eventually(
                "it to notice", () -> assertThat(cut.report().declaredDead()).isGreaterThan(deaths));
        settle(fleet, "cut", restored, Set.of(name));
        judgeAlone(fleet, name, cutMicros);
    }

    /**
     * While it goes on alone, it opens at its share of the rate, one at a time; and it may use what it had reserved
     * before.
     */
    private void judgeAlone(Fleet fleet, String name, long fromMicros) {
        long untilMicros = ServerConnector.nowMicros();
        Predicate<Arrival> alone = arrival -> arrival.process().equals(name)
                && arrival.greeting().alone()
                && arrival.atMicros() >= fromMicros
                && arrival.atMicros() <= untilMicros;
        // Nobody else knows of these.
        withoutPermit.add(alone);
        TokenBucket share = new TokenBucket(Rules.RATE_PER_SECOND / Rules.PROCESSES, 1 + Rules.TARGETS.maxOpen());
        List<Arrival> arrivals =
                fleet.connects().arrivals().stream().filter(alone).toList();
        openedAlone += arrivals.size();
        TokenBucket.Overdraft overdraft = share.overdraft(arrivals);
        assertThat(overdraft.allowingForDelays())
                .as("connects above its share of the rate: %s", overdraft.stretch())
                .isLessThanOrEqualTo(0);
    }

    /** The store answers nobody, for longer than a lease. Everybody serves on, with what it has. */
    private void takeTheStoreAway(Fleet fleet) {
        List<WorkerProcess> all = fleet.living();
        // Where much is free, one that goes on alone may use a part of that. Here the cap is to be kept to the last.
        Fleet.eventually(
                "nothing to be free",
                () -> assertThat(all).allMatch(process -> process.report().active() >= Rules.LIMIT * 9 / 10));
        long gone = System.nanoTime();
        long goneMicros = ServerConnector.nowMicros();
        all.forEach(process -> process.proxy().hang());
        Fleet.eventually("all to notice", () -> {
            assertThat(System.nanoTime() - gone).isGreaterThan(Rules.LEASE_TIME.toNanos());
            assertThat(all).allMatch(process -> process.report().away());
        });
        all.forEach(fleet::awaitService);
        // Up to here nobody may have more than its share. From here on, whoever is first to come back may take others
        // for dead, and what they hold is then open twice until they notice.
        fleet.connects().excuse(Fleet.names(all));
        note(String.format("%d open without the store", fleet.connects().open()));
        all.forEach(process -> process.proxy().restore());
        settle(fleet, "outage", System.nanoTime(), Fleet.names(all));
        all.forEach(process -> judgeAlone(fleet, process.name(), goneMicros));
    }

    /** Waits until more is out than all but one could have if they still left a fair share to it. */
    private static void awaitHeirs(Fleet fleet) {
        Fleet.eventually(
                "others to take over what it had",
                () -> assertThat(fleet.items().latest().total()).isGreaterThan(Rules.LIMIT - Rules.FAIR_SHARE));
    }

    private void endInGoodOrder(Fleet fleet) {
        List<WorkerProcess> all = fleet.living();
        long begun = System.nanoTime();
        fleet.endAll();
        assertThat(all).allMatch(process -> process.exitValue() == 0);
        Fleet.eventually(
                "the end of all connections",
                () -> assertThat(fleet.connects().open()).isZero());
        note(String.format("ended within %.1f s", since(begun)));
    }

    private void settle(Fleet fleet, String fault, long nanos, Set<String> excused) {
        fleet.awaitExactItems();
        fleet.connects().excuseNoMore(excused);
        excused.forEach(name ->
                settledNanos.computeIfAbsent(name, its -> new TreeSet<>()).add(System.nanoTime()));
        double exact = since(nanos);
        // One lease time, and as much again for a machine that is busy with other things.
        assertThat(exact)
                .as("seconds until the items were exact after: %s", fault)
                .isLessThan(2.0 * Rules.LEASE_TIME.toSeconds());
        fleet.awaitGoodUse();
        note(String.format("%s: counts exact after %.1f s, in good use after %.1f s", fault, exact, since(nanos)));
        sample(fleet);
    }

    /** Notes what each holds, at a few moments. */
    private void sample(Fleet fleet) {
        for (int i = 0; i < 10; i++) {
            BudgetItems.Page before = fleet.items().latest();
            Fleet.eventually(
                    "the next look", () -> assertThat(fleet.items().latest()).isNotSameAs(before));
            for (WorkerProcess process : fleet.living()) {
                held.computeIfAbsent(process.name(), name -> new ArrayList<>())
                        .add(fleet.connects().open(process.name()));
            }
        }
    }

    private void judge(Fleet fleet) {
        assertThat(fleet.items().violations()).as("what was wrong in the items").isEmpty();
        assertThat(fleet.items().pages()).as("looks into the items").isGreaterThan(50);
        note(String.format(
                "count at most %d in %d looks",
                fleet.items().mostTotal(), fleet.items().pages()));
        judgeSpread();
        judgeCap(fleet);
        judgeRate(fleet);
    }

    private void judgeSpread() {
        Map<String, Double> averages = new TreeMap<>();
        held.forEach((name, samples) -> averages.put(
                name, samples.stream().mapToInt(Integer::intValue).average().orElse(0)));
        var onAverage =
                averages.values().stream().mapToDouble(Double::doubleValue).summaryStatistics();
        var atAnyMoment = held.values().stream()
                .flatMap(List::stream)
                .mapToInt(Integer::intValue)
                .summaryStatistics();
        note(String.format(
                "held in quiet times between %.1f and %.1f on average, at any moment between %d and %d, fair are %d",
                onAverage.getMin(), onAverage.getMax(), atAnyMoment.getMin(), atAnyMoment.getMax(), Rules.FAIR_SHARE));
        assertThat(averages)
                .allSatisfy((name, average) ->
                        assertThat(average).as("held by %s", name).isGreaterThanOrEqualTo(Rules.FAIR_SHARE / 2.0));
    }

    private void judgeCap(Fleet fleet) {
        note(String.format(
                "at most %d open, above %d %s",
                fleet.connects().mostOpen(), Rules.LIMIT, fleet.connects().timesOver()));
        note(String.format(
                "those that live were taken for dead %d times",
                fleet.living().stream()
                        .mapToLong(process -> process.report().declaredDead())
                        .sum()));
        assertThat(fleet.connects().violations())
                .as("moments above the cap")
                .allMatch(violation -> isHelpless(fleet, violation));
    }

    private void judgeRate(Fleet fleet) {
        List<Arrival> all = fleet.connects().arrivals();
        TokenBucket bucket = new TokenBucket(Rules.RATE_PER_SECOND, Rules.BURST);
        TokenBucket.Overdraft overdraft = bucket.overdraft(all.stream()
                .filter(arrival -> withoutPermit.stream().noneMatch(it -> it.test(arrival)))
                .toList());
        note(String.format(
                "%d connects, %d of them alone; bucket overdrawn by %.1f by the others as they came, by %.1f with their"
                        + " delays allowed for, by %.1f by all",
                all.size(),
                openedAlone,
                overdraft.asTheyCame(),
                overdraft.allowingForDelays(),
                bucket.overdraft(all).asTheyCame()));
        assertThat(overdraft.allowingForDelays())
                .as("connects above the rate: %s", overdraft.stretch())
                .isLessThanOrEqualTo(0);
    }

    /**
     * Whether there were too many because a process was so slow that others took it for dead, though nothing was done
     * to it. That is no other case than that of one that is stopped, but nobody knows of it before.
     */
    private boolean isHelpless(Fleet fleet, ConnectRecord.Violation violation) {
        long at = violation.atNanos();
        int theirs = violation.open().entrySet().stream()
                .filter(entry -> {
                    String name = entry.getKey();
                    Long settled =
                            settledNanos.getOrDefault(name, new TreeSet<>()).floor(at);
                    long aftermath = at - AFTERMATH_NANOS;
                    long from = settled == null ? aftermath : Math.max(settled, aftermath);
                    return fleet.items().missed(name, from, at + NOTICED_NANOS);
                })
                .mapToInt(Map.Entry::getValue)
                .sum();
        return theirs >= violation.tooMany();
    }

    private void note(String what) {
        measured.add(what);
    }

    private static double since(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }
}
