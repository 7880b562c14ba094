package dev.reservoir.cluster.inspect;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Bucket;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Finding;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Kind;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Second;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Windows;
import dev.reservoir.cluster.permits.ReservationPermits;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the budget of one cluster for an operator: what each member holds, whether it is alive, and whether the numbers
 * add up. Never writes. Every method blocks, and fails with a {@link dev.reservoir.cluster.store.StoreException} if the
 * store does not answer. Not safe for use by several threads.
 *
 * <p>The store cannot be read as a whole at one moment, and the fleet keeps working during a reading. So the inspection
 * reads again what looks wrong. A finding counts as wrong only if it appears in two readings in a row during which
 * nothing moved. Every process changes the count and its share together, so a real difference stays the same while the
 * fleet works.
 */
public final class ClusterInspection {
    private static final int READINGS_ALIKE = 2;
    private static final int READINGS_MAX = 15;
    private static final long PAUSE_NANOS = 150_000_000L;

    /** Number of readings during one observation. */
    private static final int READINGS_OF_A_WATCH = 12;

    /** Number of past seconds that the report shows. */
    private static final int SECONDS_BACK = 9;

    /** Number of future seconds that the report shows, because clocks of Go processes may be slightly ahead. */
    private static final int SECONDS_AHEAD = 2;

    final ClusterSettings settings;
    final @Nullable Store permitStore;

    /** The store that holds the members. */
    final @Nullable Store home;

    private final StoreClock clock;
    final InspectionCalls calls;
    final HeartbeatInspection heartbeats;
    private final InspectionFindings judge;

    /**
     * An inspection of the cluster and the modes that the settings name. They must be the same as those of the fleet.
     *
     * @param permitStore the store that counts permits, or null to leave permits out
     * @param leaseStore the store that counts leases, or null to leave leases out
     * @param time the time on which the inspection waits
     * @param wallClock this machine's clock, which may be wrong
     */
    public ClusterInspection(
            ClusterSettings settings,
            @Nullable Store permitStore,
            @Nullable Store leaseStore,
            Time time,
            InstantSource wallClock) {
        this(settings, permitStore, leaseStore, time, wallClock, InspectionCalls.Wait::blocking);
    }

    ClusterInspection(
            ClusterSettings settings,
            @Nullable Store permitStore,
            @Nullable Store leaseStore,
            Time time,
            InstantSource wallClock,
            InspectionCalls.Wait await) {
        this.settings = settings;
        this.permitStore = settings.permitMode() == null ? null : permitStore;
        Store leases = settings.leaseMode() == null ? null : leaseStore;
        this.home = leases == null ? this.permitStore : leases;
        this.clock = new StoreClock(time, wallClock, settings);
        this.calls = new InspectionCalls(time, clock, await);
        this.heartbeats = new HeartbeatInspection(time, settings.leaseTime().toNanos());
        this.judge = new InspectionFindings(settings, clock, heartbeats);
    }

    /** Returns the best estimate of the store's time, in microseconds since 1970. */
    long storeMicros() {
        return (clock.earliestMicros() + clock.latestMicros()) / 2;
    }

    /** Reads the budget. Earlier calls count as observation of the members. Blocks. */
    public ClusterInspectionReport read() {
        Permits permits = permits();
        List<Finding> all = new ArrayList<>(judge.ofPermits(permits.bucket, permits.windows, permits.isOtherModeUsed));
        Store store = home;
        if (store == null) {
            return report(permits, null, all);
        }
        LeaseInspection leases = new LeaseInspection(settings, store, calls, heartbeats);
        Map<String, Integer> alike = new HashMap<>();
        LeaseInspection.Reading reading = null;
        List<Finding> found = List.of();
        for (int i = 0; i < READINGS_MAX; i++) {
            if (i > 0) {
                calls.pause(PAUSE_NANOS);
            }
            reading = leases.read();
            found = judge.ofLeases(reading);
            boolean right = found.stream().noneMatch(ClusterInspection::isToBeSeenAgain);
            // A reading during which the fleet moved does not show that something is wrong.
            if (right || (!reading.moved() && isSettled(found, alike))) {
                break;
            }
        }
        found.forEach(finding -> all.add(
                isToBeSeenAgain(finding) && alike.getOrDefault(key(finding), 0) < READINGS_ALIKE
                        ? finding.asNote(" (uncertain, because the fleet was changing; try again)")
                        : finding));
        return report(permits, reading, all);
    }

    /** Whether a finding must appear again. A dead member has already been observed for long enough. */
    private static boolean isToBeSeenAgain(Finding finding) {
        return finding.wrong() && finding.kind() != Kind.MEMBER_DEAD;
    }

    /** Whether everything that is wrong was wrong in the last readings as well. */
    private static boolean isSettled(List<Finding> found, Map<String, Integer> alike) {
        Set<String> wrong = new LinkedHashSet<>();
        found.stream().filter(ClusterInspection::isToBeSeenAgain).forEach(finding -> wrong.add(key(finding)));
        alike.keySet().retainAll(wrong);
        wrong.forEach(key -> alike.merge(key, 1, Integer::sum));
        return alike.values().stream().allMatch(times -> times >= READINGS_ALIKE);
    }

    private static String key(Finding finding) {
        return finding.kind() + " " + finding.subject();
    }

    /**
     * Reads the budget repeatedly for this time, and reports how often each member wrote. Blocks.
     *
     * @param left receives the remaining nanoseconds now and then
     */
    public ClusterInspectionReport watch(Duration length, LongConsumer left) {
        ClusterInspectionReport report = read();
        for (int i = 0; i < READINGS_OF_A_WATCH && heartbeats.watchedNanos() < length.toNanos(); i++) {
            long missing = length.toNanos() - heartbeats.watchedNanos();
            left.accept(missing);
            calls.pause(
                    i == READINGS_OF_A_WATCH - 1 ? missing : Math.min(missing, length.toNanos() / READINGS_OF_A_WATCH));
            report = read();
        }
        return report;
    }

    private ClusterInspectionReport report(
            Permits permits, LeaseInspection.@Nullable Reading leases, List<Finding> findings) {
        heartbeats.begin();
        findings.addAll(judge.ofClock());
        return new ClusterInspectionReport(
                settings.endpoint(),
                clock.isKnown() ? clock.millis() : 0,
                leases == null ? List.of() : leases.members(),
                leases == null ? null : leases.shares(),
                leases == null ? null : leases.counter(),
                permits.bucket,
                permits.windows,
                heartbeats.watchedNanos(),
                findings);
    }

    private Permits permits() {
        Store store = permitStore;
        if (store == null) {
            return new Permits(null, null, false);
        }
        String key = ItemKeys.permits(settings.cluster());
        Item item = calls.read(store, List.of(key)).get(key);
        long now = storeMicros() / 1_000_000;
        Map<String, Long> keys = new LinkedHashMap<>();
        for (long second = now - SECONDS_BACK; second <= now + SECONDS_AHEAD; second++) {
            keys.put(ItemKeys.window(settings, second), second);
        }
        Map<String, Item> written = calls.read(store, keys.keySet());
        List<Second> seconds = new ArrayList<>();
        keys.forEach((window, second) ->
                seconds.add(new Second(second, ItemKeys.number(written.get(window), ItemKeys.WINDOW_COUNT))));
        Bucket bucket = bucket(item);
        boolean isBucketUsed = ItemKeys.number(item, ItemKeys.UPDATED) / 1_000 > now - 60;
        return settings.permitMode() == PermitMode.RESERVATION
                ? new Permits(bucket, null, !written.isEmpty())
                : new Permits(null, new Windows((long) settings.ratePerSecond(), seconds), isBucketUsed);
    }

    private Bucket bucket(@Nullable Item item) {
        long burst = ReservationPermits.usableBurst(settings);
        double rate = settings.ratePerSecond();
        if (item == null) {
            return new Bucket(false, burst, burst, rate, 0, 0, 0);
        }
        long ahead = item.number(ItemKeys.NEXT, 0) - storeMicros();
        long free = ahead >= 0 ? 0 : (long) Math.min((double) burst, -ahead * rate / 1e6);
        return new Bucket(
                true, free, burst, rate, ahead, item.number(ItemKeys.SEQUENCE, 0), item.number(ItemKeys.UPDATED, 0));
    }

    private record Permits(
            @Nullable Bucket bucket, @Nullable Windows windows, boolean isOtherModeUsed) {}
}
