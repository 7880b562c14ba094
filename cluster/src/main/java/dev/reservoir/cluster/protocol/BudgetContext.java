package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.util.random.RandomGenerator;

/**
 * Everything that the parts of one budget share: settings, serial executor, time, the store's clock and health, and the
 * fleet size. Never calls the store itself.
 */
public final class BudgetContext {
    private static final int SMALL_FLEET = 50;
    private static final int LARGE_FLEET = 250;

    private final ClusterSettings settings;
    private final SerialExecutor serial;
    private final Time time;
    private final StoreClock clock;
    private final StoreHealth storeHealth;
    private final RandomGenerator random;

    /** Written on the serial executor, read by any thread. */
    private volatile int members;

    /** Whether the number of members matters now. Used only on the serial executor. */
    private boolean countsHeads;

    public BudgetContext(
            ClusterSettings settings,
            SerialExecutor serial,
            Time time,
            StoreClock clock,
            StoreHealth storeHealth,
            RandomGenerator random) {
        this.settings = settings;
        this.serial = serial;
        this.time = time;
        this.clock = clock;
        this.storeHealth = storeHealth;
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

    /** The time for waits that have a caller's deadline. Setting a clock does not end such a wait. */
    public Time timers() {
        return time instanceof ElapsedTime elapsed ? elapsed.timers() : time;
    }

    public StoreClock clock() {
        return clock;
    }

    /** Use it only on the serial executor. */
    public RandomGenerator random() {
        return random;
    }

    public StoreCalls callsTo(Store store) {
        return new StoreCalls(store, time, serial, clock, storeHealth.to(store));
    }

    /** A new id for a member: 16 hex digits. */
    public String newId() {
        return String.format("%016x", random.nextLong());
    }

    /** A new id for a transaction, a lease or the owner of a node id: 32 hex digits. */
    public String newLongId() {
        return newId() + newId();
    }

    /** The number of processes that share the budget, as last seen; 0 if it is not known. */
    public int members() {
        return members;
    }

    /**
     * The size of the fleet on a scale from 0 (up to 50 processes) to 1 (250 or more). In a large fleet each process
     * writes and reads less often.
     */
    public double largeness() {
        return Math.min(1, Math.max(0, members - SMALL_FLEET) / (double) (LARGE_FLEET - SMALL_FLEET));
    }

    /** Sets whether the number of members matters now. If it does, the failure detector determines it more often. */
    public void countHeads(boolean value) {
        countsHeads = value;
    }

    public boolean countsHeads() {
        return countsHeads;
    }

    public void members(int value) {
        members = value;
    }

    /** This process's share of the rate if all processes want one. */
    public double fairRate() {
        return settings.ratePerSecond() / Math.max(1, members);
    }

    /** Connections per second that this process opens while the store is away. */
    public double rateAlone() {
        Double chosen = settings.localRatePerSecond();
        return chosen != null ? chosen : settings.ratePerSecond() / processesAlone();
    }

    /**
     * The number of processes by which the budget is divided while the store is away. Never less than the number seen
     * or configured.
     */
    public int processesAlone() {
        Integer expected = settings.expectedProcesses();
        if (expected != null) {
            return Math.max(expected, members);
        }
        return members == 0 ? ClusterSettings.PROCESSES_UNSEEN : members;
    }

    /** This process's share of the leases if all processes want as many. */
    public int fairShare() {
        return Math.max(1, settings.limit() / Math.max(1, members));
    }
}
