package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.util.random.RandomGenerator;

/** What all parts of one budget have in common. */
final class Surroundings {
    private final ClusterSettings settings;
    private final Desk desk;
    private final Time time;
    private final StoreClock clock;
    private final Reach reach;
    private final RandomGenerator random;

    /** Written at the desk, read anywhere. */
    private volatile int members;

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

    void members(int value) {
        members = value;
    }

    /** This process's share of the rate if all of them want it. */
    double fairRate() {
        return settings.ratePerSecond() / Math.max(1, members);
    }

    /** At which this process opens while the store is away. One that has never seen how many there are is careful. */
    double rateAlone() {
        Double chosen = settings.localRatePerSecond();
        if (chosen != null) {
            return chosen;
        }
        return settings.ratePerSecond() / (members == 0 ? 100 : members);
    }

    /** How many leases are this process's if all want as many. */
    int fairShare() {
        return Math.max(1, settings.limit() / Math.max(1, members));
    }
}
