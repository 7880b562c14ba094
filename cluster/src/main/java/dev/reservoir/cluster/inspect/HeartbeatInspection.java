package dev.reservoir.cluster.inspect;

import dev.reservoir.core.spi.Time;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Records which members were seen to be alive. Only changes that were observed on this process's own clock count,
 * because timestamps of other processes may be wrong. Never reads the store.
 */
final class HeartbeatInspection {
    private final Time time;
    private final Map<String, Seen> seen = new HashMap<>();
    private long beganNanos = -1;
    private long leaseNanos;

    HeartbeatInspection(Time time, long leaseNanos) {
        this.time = time;
        this.leaseNanos = leaseNanos;
    }

    /** Takes over the lease time of a member. */
    void goesBy(long theirsNanos) {
        leaseNanos = Math.max(leaseNanos, theirsNanos);
    }

    /** Returns the longest lease time of all members. A member that is silent for less may well be alive. */
    long leaseNanos() {
        return leaseNanos;
    }

    /** Notes that every member has been seen once. There may be none. */
    void begin() {
        if (beganNanos < 0) {
            beganNanos = time.nanos();
        }
    }

    /** Notes a member's heartbeat that was just read. */
    void saw(String id, long beat) {
        long now = time.nanos();
        Seen before = seen.get(id);
        if (before == null) {
            seen.put(id, new Seen(beat, beat, now));
        } else if (before.beat != beat) {
            // A heartbeat that goes back belongs to another process with the same id, which is alive as well.
            seen.put(id, new Seen(Math.min(before.firstBeat, beat - 1), beat, now));
        }
    }

    /** Notes that this process itself has changed the heartbeat of a member, once. */
    void wroteFor(String id) {
        seen.computeIfPresent(id, (same, it) -> new Seen(it.firstBeat + 1, it.beat + 1, it.sinceNanos));
    }

    /** Forgets all members but these. */
    void keepOnly(Set<String> ids) {
        seen.keySet().retainAll(ids);
    }

    /** Returns how often the member was seen to write. */
    long beats(String id) {
        Seen one = seen.get(id);
        return one == null ? 0 : one.beat - one.firstBeat;
    }

    /** Returns how long the member has been observed without a write. */
    long stillNanos(String id) {
        Seen one = seen.get(id);
        return one == null ? 0 : time.nanos() - one.sinceNanos;
    }

    /** Returns how long the members have been observed. */
    long watchedNanos() {
        return beganNanos < 0 ? 0 : time.nanos() - beganNanos;
    }

    private record Seen(long firstBeat, long beat, long sinceNanos) {}
}
