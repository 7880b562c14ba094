package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.time.InstantSource;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;

/** What the parts of one budget share: settings, executor, time, the store's clock and health, the fleet size. */
public final class BudgetContext {
    /** How long a process that leaves waits, and how long it keeps trying to give everything back. */
    public static final long LEAVE_NANOS = 5_000_000_000L;

    /** Longest pause between two attempts of a process that leaves. It is short because leaving has little time. */
    public static final long LEAVE_PAUSE_NANOS = 250_000_000L;

    /**
     * The number of processes that a process assumes if nobody has configured it and it has never seen the fleet. It is
     * the size that a fleet is expected to have at most. If all processes of such a fleet start without the table,
     * together they still keep to the rate and the limit.
     */
    private static final int PROCESSES_UNSEEN = 1_000;

    private static final int SMALL_FLEET = 50;
    private static final int LARGE_FLEET = 250;

    private final ClusterSettings settings;
    final SerialExecutor serial;
    final Time time;
    private final StoreClock clock;
    private final BudgetHealth health;
    private final RandomGenerator random;

    /** Written on the serial executor, read by any thread. */
    private volatile int members;

    /** Whether the number of members matters now. Used only on the serial executor. */
    private boolean needsMemberCount;

    public BudgetContext(
            ClusterSettings settings,
            SerialExecutor serial,
            Time time,
            InstantSource wallClock,
            RandomGenerator random) {
        this.settings = settings;
        this.serial = serial;
        this.time = time;
        this.clock = new StoreClock(time, wallClock, settings);
        this.health = new BudgetHealth(settings, time);
        this.random = random;
    }

    public ClusterSettings settings() {
        return settings;
    }

    public Logger log() {
        return log(settings);
    }

    /** Returns the logger of all parts of a budget. It discards everything if the settings turn logging off. */
    static Logger log(ClusterSettings settings) {
        return settings.logged() ? LoggerFactory.getLogger(ClusterBudget.class) : NOPLogger.NOP_LOGGER;
    }

    /** Waits until a process has left. Blocks for at most 5 seconds. Returns whether it has left. */
    public static boolean awaitLeft(CompletionStage<Void> left) {
        try {
            left.toCompletableFuture().get(LEAVE_NANOS, TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (TimeoutException | ExecutionException e) {
            return false;
        }
    }

    /** The time for waits that have a caller's deadline. Setting a clock does not end such a wait. */
    Time timers() {
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
        return new StoreCalls(store, time, serial, clock, health.of(store));
    }

    /** Whether any of the stores that this budget calls is away. */
    public boolean isAway() {
        return health.isAway();
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

    /** The size of the fleet from 0 (up to 50) to 1 (250 or more). In a large fleet a process writes and reads less. */
    public double largeness() {
        return Math.min(1, Math.max(0, members - SMALL_FLEET) / (double) (LARGE_FLEET - SMALL_FLEET));
    }

    /** Sets whether the number of members matters now. If it does, the failure detector determines it more often. */
    public void needMemberCount(boolean value) {
        needsMemberCount = value;
    }

    public boolean needsMemberCount() {
        return needsMemberCount;
    }

    public void members(int value) {
        members = value;
    }

    /** This process's share of the rate if all processes want one. */
    public double fairRate() {
        return settings.ratePerSecond() / Math.max(1, members);
    }

    /** Connections per second that this process opens while the store is away. */
    public double localRatePerSecond() {
        Double chosen = settings.localRatePerSecond();
        return chosen != null ? chosen : settings.ratePerSecond() / processesAssumed();
    }

    /** The number of processes that share the budget while the store is away, at least those seen or configured. */
    public int processesAssumed() {
        Integer expected = settings.expectedProcesses();
        if (expected != null) {
            return Math.max(expected, members);
        }
        return members == 0 ? PROCESSES_UNSEEN : members;
    }

    /** This process's share of the leases if all processes want as many. */
    public int fairShare() {
        return Math.max(1, settings.limit() / Math.max(1, members));
    }
}
