package dev.reservoir.dynamodb.processes;

import dev.reservoir.core.Targets;
import java.time.Duration;

/** What the fleet of the test is allowed, and what each of its processes wants. */
final class Rules {
    static final String CLUSTER = "fleet.example";
    static final int PROCESSES = 8;

    /**
     * So few that the rate is what holds the fleet back, even on a slow machine; and about twice what it needs in the
     * long run.
     */
    static final double RATE_PER_SECOND = 12;

    /** More than the rate yields in the second for which a permit can be used after it fell due. */
    static final int BURST = 15;

    /** Less than all of them want, so that they have to share. */
    static final int LIMIT = 80;

    static final int FAIR_SHARE = LIMIT / PROCESSES;

    /** Short, so that the test is. */
    static final Duration LEASE_TIME = Duration.ofSeconds(6);

    static final Targets TARGETS = new Targets(12, 12, 6, 0);

    /** Short, so that connections are replaced all the time: about six a second in the whole fleet. */
    static final Duration LIFETIME = Duration.ofSeconds(14);

    static final Duration LIFETIME_JITTER = Duration.ofSeconds(8);
    static final Duration GUARD_WINDOW = Duration.ofSeconds(1);

    private Rules() {}
}
