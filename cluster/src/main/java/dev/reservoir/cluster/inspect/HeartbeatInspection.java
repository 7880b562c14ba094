package dev.reservoir.cluster.inspect;

import dev.reservoir.core.spi.Time;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Who was seen to live. Only what was seen to change on this process's own clock counts: what others write of the time may be
 * wrong.
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

    /** A member goes by this lease time. */
    void goesBy(long theirsNanos) {
        leaseNanos = Math.max(leaseNanos, theirsNanos);
    }

    /** The longest lease time that anybody goes by: whoever is silent for less may well live. */
    long leaseNanos() {
        return leaseNanos;
    }

    /** Everybody has been seen once; there may be nobody. */
    void begin() {
        if (beganNanos < 0) {
            beganNanos = time.nanos();
        }
    }

    /** A member's beat was read just now. */
    void saw(String id, long beat) {
        long now = time.nanos();
        Seen before = seen.get(id);
        if (before == null) {
            seen.put(id, new Seen(beat, beat, now));
        } else if (before.beat != beat) {
            // A beat that goes back is another process of the same name; it lives, too.
            seen.put(id, new Seen(Math.min(before.firstBeat, beat - 1), beat, now));
        }
    }

    /** Somebody else has written the beat of this one, once. */
    void wroteFor(String id) {
        seen.computeIfPresent(id, (same, it) -> new Seen(it.firstBeat + 1, it.beat + 1, it.sinceNanos));
    }

    /** Forgets all others. */
    void keepOnly(Set<String> ids) {
        seen.keySet().retainAll(ids);
    }

    /** How often it was seen to write. */
    long beats(String id) {
        Seen one = seen.get(id);
        return one == null ? 0 : one.beat - one.firstBeat;
    }

    /** For how long it was seen not to. */
    long stillNanos(String id) {
        Seen one = seen.get(id);
        return one == null ? 0 : time.nanos() - one.sinceNanos;
    }

    /** For how long everybody has been watched. */
    long watchedNanos() {
        return beganNanos < 0 ? 0 : time.nanos() - beganNanos;
    }

    private record Seen(long firstBeat, long beat, long sinceNanos) {}
}
