package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.util.random.RandomGenerator;

/** What all parts of one budget have in common. */
public final class BudgetContext {
    private static final int SMALL_FLEET = 50;
    private static final int LARGE_FLEET = 250;

    private final ClusterSettings settings;
    private final SerialExecutor serial;
    private final Time time;
    private final StoreClock clock;
    private final StoreHealth reach;
    private final RandomGenerator random;

    /** Written at the desk, read anywhere. */
    private volatile int members;

    /** Whether it matters now how many members there are. Used at the desk only. */
    private boolean countsHeads;

    public BudgetContext(
            ClusterSettings settings,
            SerialExecutor serial,
            Time time,
            StoreClock clock,
            StoreHealth reach,
            RandomGenerator random) {
        this.settings = settings;
        this.serial = serial;
        this.time = time;
        this.clock = clock;
        this.reach = reach;
        this.random = random;
    }

    public ClusterSettings settings() {
        return settings;
    }

    public SerialExecutor serial() {
        return serial;
    }

    public Time time() {
        return time;
    }

    /** The time for waits that a caller has a deadline for: those are not over because a clock was set. */
    public Time timers() {
        return time instanceof ElapsedTime elapsed ? elapsed.timers() : time;
    }

    public StoreClock clock() {
        return clock;
    }

    /** Used at the desk only. */
    public RandomGenerator random() {
        return random;
    }

    public StoreCalls callsTo(Store store) {
        return new StoreCalls(store, time, serial, clock, reach.to(store));
    }

    /** Names a member, a transaction or a lease: 16 hex digits. */
    public String newId() {
        return String.format("%016x", random.nextLong());
    }

    /** Names a transaction or a lease: 32 hex digits. */
    public String newLongId() {
        return newId() + newId();
    }

    /** How many processes share the budget, as last seen; 0 if that is not known. */
    public int members() {
        return members;
    }

    /** From 0 for a fleet of up to 50 processes to 1 for one of 250 or more: each of those writes and reads less often. */
    public double largeness() {
        return Math.min(1, Math.max(0, members - SMALL_FLEET) / (double) (LARGE_FLEET - SMALL_FLEET));
    }

    /** Says whether it matters now how many members there are, so that it is found out more often. */
    public void countHeads(boolean value) {
        countsHeads = value;
    }

    public boolean countsHeads() {
        return countsHeads;
    }

    public void members(int value) {
        members = value;
    }

    /** This process's share of the rate if all of them want it. */
    public double fairRate() {
        return settings.ratePerSecond() / Math.max(1, members);
    }

    /** At which this process opens while the store is away. */
    public double rateAlone() {
        Double chosen = settings.localRatePerSecond();
        return chosen != null ? chosen : settings.ratePerSecond() / processesAlone();
    }

    /** Among how many processes the budget is divided while the store is away: never fewer than are seen, or said. */
    public int processesAlone() {
        Integer expected = settings.expectedProcesses();
        if (expected != null) {
            return Math.max(expected, members);
        }
        return members == 0 ? ClusterSettings.PROCESSES_UNSEEN : members;
    }

    /** How many leases are this process's if all want as many. */
    public int fairShare() {
        return Math.max(1, settings.limit() / Math.max(1, members));
    }
}
