package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Counter;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Member;
import dev.reservoir.cluster.store.Store;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Puts the books of a cluster right for an operator, while the fleet works: first a plan, which writes nothing, then the
 * writes. Never writes what it has not planned, and nothing without the condition that all is still as it was read; what is refused is
 * planned anew, a few times. A member counts as dead only after this object itself has seen no renewal for a whole lease
 * time. Every method blocks and fails with a {@link dev.reservoir.cluster.store.StoreException} if the store does not answer;
 * to begin again after that does no harm. Not for several threads.
 */
public final class ClusterRepair {
    private static final int ROUNDS_MOST = 8;

    /** How often the members are looked at in a lease time. */
    private static final int LOOKS = 12;

    private final ClusterInspection inspection;
    private final RandomGenerator random;
    private final RepairPlanner planner;
    private final @Nullable Long setActive;

    /**
     * A repair of the cluster that is inspected.
     *
     * @param random for the names of transactions
     * @param setActive what to set the counter to that Go processes share, in an emergency; otherwise null
     */
    public ClusterRepair(ClusterInspection inspection, RandomGenerator random, @Nullable Long setActive) {
        if (setActive != null && setActive < 0) {
            throw new IllegalArgumentException("setActive is " + setActive + "; allowed: 0 or more");
        }
        if (setActive != null && inspection.settings().leaseMode() != LeaseMode.COUNTER) {
            throw new IllegalArgumentException("setActive is " + setActive + "; allowed: only in mode counter");
        }
        this.inspection = inspection;
        this.random = random;
        this.setActive = setActive;
        this.planner = new RepairPlanner(inspection);
    }

    /**
     * What is to be done.
     *
     * @param report the books that it was made of
     * @param steps in the order in which they are to be done
     */
    public record Plan(ClusterInspectionReport report, List<ClusterRepairStep> steps) {
        public Plan {
            steps = List.copyOf(steps);
        }
    }

    /**
     * What was done.
     *
     * @param done the steps that were done
     * @param left those that were refused again and again, since the fleet moved
     * @param report the books as they are now
     */
    public record Outcome(List<ClusterRepairStep> done, List<ClusterRepairStep> left, ClusterInspectionReport report) {
        public Outcome {
            done = List.copyOf(done);
            left = List.copyOf(left);
        }
    }

    /** Hears how the watch goes on. */
    @FunctionalInterface
    public interface Watching {
        /** Of so many it is not known yet whether they live; it will be in so many nanoseconds at the latest. */
        void waitsFor(int silent, long leftNanos);
    }

    /** Makes a plan. Takes a whole lease time if somebody is silent, and not that long if all are seen to live. */
    public Plan plan(Watching watching) {
        ClusterInspectionReport report = inspection.read();
        long leaseNanos = inspection.pulse().leaseNanos();
        // Somebody who was seen for the first time later needs a lease time of its own; new ones do not prolong it
        // for ever.
        for (int i = 0; i < 2 * LOOKS; i++) {
            long left = 0;
            int silent = 0;
            for (String id : suspects(report)) {
                long missing = leaseNanos - inspection.pulse().stillNanos(id);
                if (missing > 0 && inspection.pulse().beats(id) == 0) {
                    left = Math.max(left, missing);
                    silent++;
                }
            }
            if (silent == 0) {
                break;
            }
            watching.waitsFor(silent, left);
            inspection.calls().pause(Math.min(left, leaseNanos / LOOKS));
            report = inspection.read();
        }
        return planned(report, setActive != null);
    }

    private static Set<String> suspects(ClusterInspectionReport report) {
        Set<String> ids = new HashSet<>();
        for (Member member : report.members()) {
            if (member.written()) {
                ids.add(member.id());
            }
        }
        Set<String> members = Set.copyOf(ids);
        Counter counter = report.counter();
        if (counter != null) {
            for (String owner : counter.byOwner().keySet()) {
                if (!members.contains(owner)) {
                    ids.add(LeaseInspection.OWNER + owner);
                }
            }
        }
        return ids;
    }

    private Plan planned(ClusterInspectionReport report, boolean withActive) {
        return new Plan(report, planner.steps(report, withActive ? setActive : null));
    }

    /** Does what was planned, and plans again what was refused. */
    public Outcome apply(Plan plan) {
        List<ClusterRepairStep> done = new ArrayList<>();
        List<ClusterRepairStep> refused = List.of();
        Plan next = plan;
        for (int round = 0; round < ROUNDS_MOST && !next.steps().isEmpty(); round++) {
            refused = new ArrayList<>();
            for (ClusterRepairStep step : next.steps()) {
                (isDone(step) ? done : refused).add(step);
            }
            boolean wasSet = done.stream().anyMatch(step -> step.kind() == ClusterRepairStep.Kind.SET_ACTIVE);
            next = planned(inspection.read(), setActive != null && !wasSet);
        }
        return new Outcome(done, next.steps().isEmpty() ? List.of() : refused, next.report());
    }

    private boolean isDone(ClusterRepairStep step) {
        Store store = step.isOfPermits() ? inspection.permitStore() : inspection.home();
        String token = String.format("%016x%016x", random.nextLong(), random.nextLong());
        boolean applied = inspection
                .calls()
                .transact(Objects.requireNonNull(store), step.writes(), token)
                .applied();
        if (applied) {
            planner.membersWritten(step).forEach(inspection.pulse()::wroteFor);
        }
        return applied;
    }
}
