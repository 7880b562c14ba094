package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.util.random.RandomGenerator;

/** What all parts of one budget have in common. */
final class Surroundings {
    private static final int SMALL_FLEET = 50;
    private static final int LARGE_FLEET = 250;

    private final ClusterSettings settings;
    private final Desk desk;
    private final Time time;
    private final StoreClock clock;
    private final Reach reach;
    private final RandomGenerator random;

    /** Written at the desk, read anywhere. */
    private volatile int members;

    /** Whether it matters now how many members there are. Used at the desk only. */
    private boolean countsHeads;

    Surroundings(
            ClusterSettings settings, Desk desk, Time time, StoreClock clock, Reach reach, RandomGenerator random) {
        this.settings = settings;
        this.desk = desk;
        this.time = time;
        this.clock = clock;
        this.reach = reach;
        this.random = random;
    }

    ClusterSettings settings() {
        return settings;
    }

    Desk desk() {
        return desk;
    }

    Time time() {
        return time;
    }

    /** The time for waits that a caller has a deadline for: those are not over because a clock was set. */
    Time timers() {
        return time instanceof ElapsedTime elapsed ? elapsed.timers() : time;
    }

    StoreClock clock() {
        return clock;
    }

    /** Used at the desk only. */
    RandomGenerator random() {
        return random;
    }

    Calls callsTo(Store store) {
        return new Calls(store, time, desk, clock, reach.to(store));
    }

    /** Names a member, a transaction or a lease: 16 hex digits. */
    String newId() {
        return String.format("%016x", random.nextLong());
    }

    /** Names a transaction or a lease: 32 hex digits. */
    String newLongId() {
        return newId() + newId();
    }

    /** How many processes share the budget, as last seen; 0 if that is not known. */
    int members() {
        return members;
    }

    /** From 0 for a fleet of up to 50 processes to 1 for one of 250 or more: each of those writes and reads less often. */
    double largeness() {
        return Math.min(1, Math.max(0, members - SMALL_FLEET) / (double) (LARGE_FLEET - SMALL_FLEET));
    }

    /** Says whether it matters now how many members there are, so that it is found out more often. */
    void countHeads(boolean value) {
        countsHeads = value;
    }

    boolean countsHeads() {
        return countsHeads;
    }

    void members(int value) {
        members = value;
    }

    /** This process's share of the rate if all of them want it. */
    double fairRate() {
        return settings.ratePerSecond() / Math.max(1, members);
    }

    /** At which this process opens while the store is away. */
    double rateAlone() {
        Double chosen = settings.localRatePerSecond();
        return chosen != null ? chosen : settings.ratePerSecond() / processesAlone();
    }

    /** Among how many processes the budget is divided while the store is away: never fewer than are seen, or said. */
    int processesAlone() {
        Integer expected = settings.expectedProcesses();
        if (expected != null) {
            return Math.max(expected, members);
        }
        return members == 0 ? ClusterSettings.PROCESSES_UNSEEN : members;
    }

    /** How many leases are this process's if all want as many. */
    int fairShare() {
        return Math.max(1, settings.limit() / Math.max(1, members));
    }
}
