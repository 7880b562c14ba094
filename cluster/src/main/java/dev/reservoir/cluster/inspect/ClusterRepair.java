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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Repairs the counts and the member list of a cluster for an operator, while the fleet works. First it makes a plan,
 * which writes nothing. Then it applies the plan. It never writes what it has not planned, and each write requires that
 * everything is still as it was read. It plans refused steps again, a few times. A member counts as dead only after
 * this object itself has seen no heartbeat for a whole lease time.
 *
 * <p>Every method blocks, and fails with a {@link dev.reservoir.cluster.store.StoreException} if the store does not
 * answer. It is safe to start again after such a failure. Not safe for use by several threads.
 */
public final class ClusterRepair {
    private static final int ROUNDS_MAX = 8;

    /** Number of times that the members are read per lease time. */
    private static final int READINGS_PER_LEASE_TIME = 12;

    private final ClusterInspection inspection;
    private final RandomGenerator random;
    private final RepairPlanner planner;
    private final @Nullable Long setActive;

    /**
     * A repair of the inspected cluster.
     *
     * @param random for the tokens of transactions
     * @param setActive the value to which to set the counter that Go processes share, in an emergency; otherwise null
     */
    public ClusterRepair(ClusterInspection inspection, RandomGenerator random, @Nullable Long setActive) {
        if (setActive != null && setActive < 0) {
            throw new IllegalArgumentException("setActive is " + setActive + "; allowed: 0 or more");
        }
        if (setActive != null && inspection.settings.leaseMode() != LeaseMode.COUNTER) {
            throw new IllegalArgumentException("setActive is " + setActive + "; allowed: only in mode counter");
        }
        this.inspection = inspection;
        this.random = random;
        this.setActive = setActive;
        this.planner = new RepairPlanner(inspection);
    }

    /** The steps to do, in order, and the report that the plan is based on. */
    public record Plan(ClusterInspectionReport report, List<ClusterRepairStep> steps) {
        public Plan {
            steps = List.copyOf(steps);
        }
    }

    /** The steps that were applied, those that were refused repeatedly, and the state of the cluster afterwards. */
    public record Outcome(List<ClusterRepairStep> done, List<ClusterRepairStep> left, ClusterInspectionReport report) {
        public Outcome {
            done = List.copyOf(done);
            left = List.copyOf(left);
        }
    }

    /** Receives the progress of the observation. */
    @FunctionalInterface
    public interface Watching {
        /** Called while it is unknown, for at most {@code leftNanos} more, whether {@code silent} members are alive. */
        void waitsFor(int silent, long leftNanos);
    }

    /** Makes a plan. Blocks for a whole lease time if a member is silent, and for less if all are seen to be alive. */
    public Plan plan(Watching watching) {
        ClusterInspectionReport report = inspection.read();
        long leaseNanos = inspection.heartbeats.leaseNanos();
        // A member that was first seen later needs a lease time of its own. The bound keeps new members from prolonging
        // the plan forever.
        for (int i = 0; i < 2 * READINGS_PER_LEASE_TIME; i++) {
            long left = 0;
            int silent = 0;
            for (String id : suspects(report)) {
                long missing = leaseNanos - inspection.heartbeats.stillNanos(id);
                if (missing > 0 && inspection.heartbeats.beats(id) == 0) {
                    left = Math.max(left, missing);
                    silent++;
                }
            }
            if (silent == 0) {
                break;
            }
            watching.waitsFor(silent, left);
            inspection.calls.pause(Math.min(left, leaseNanos / READINGS_PER_LEASE_TIME));
            report = inspection.read();
        }
        return planned(report, setActive != null);
    }

    private static Set<String> suspects(ClusterInspectionReport report) {
        Set<String> members = report.members().stream()
                .filter(Member::written)
                .map(Member::id)
                .collect(Collectors.toSet());
        Set<String> ids = new HashSet<>(members);
        Counter counter = report.counter();
        Set<String> owners = counter == null ? Set.of() : counter.byOwner().keySet();
        owners.stream()
                .filter(owner -> !members.contains(owner))
                .forEach(owner -> ids.add(LeaseInspection.OWNER + owner));
        return ids;
    }

    private Plan planned(ClusterInspectionReport report, boolean withActive) {
        return new Plan(report, planner.steps(report, withActive ? setActive : null));
    }

    /** Applies the plan, and plans refused steps again. Blocks. */
    public Outcome apply(Plan plan) {
        List<ClusterRepairStep> done = new ArrayList<>();
        List<ClusterRepairStep> refused = List.of();
        Plan next = plan;
        for (int round = 0; round < ROUNDS_MAX && !next.steps().isEmpty(); round++) {
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
        Store store = step.isOfPermits() ? inspection.permitStore : inspection.home;
        String token = String.format("%016x%016x", random.nextLong(), random.nextLong());
        boolean applied = inspection
                .calls
                .transact(Objects.requireNonNull(store), step.writes(), token)
                .applied();
        if (applied) {
            planner.membersWritten(step).forEach(inspection.heartbeats::wroteFor);
        }
        return applied;
    }
}
