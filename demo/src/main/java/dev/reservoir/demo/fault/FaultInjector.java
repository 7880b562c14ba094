package dev.reservoir.demo.fault;

import dev.reservoir.demo.fleet.DemoDynamoDb;
import dev.reservoir.demo.fleet.Scale;
import dev.reservoir.demo.fleet.Service.State;
import dev.reservoir.demo.fleet.Side;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Injects faults on request, ends them in time, and reports the outcome. Safe for any thread. No method blocks for
 * long.
 */
public final class FaultInjector {
    /** Longest wait for a side to recover. After it the outcome says that the side did not recover. */
    private static final long RECOVERY_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /**
     * Shortest time before a side can count as recovered. A pool does not notice at once that its connections are cut.
     */
    private static final long RECOVERY_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Most events that are kept. It bounds the memory of a long run. */
    private static final int EVENTS_MAX = 200;

    private final List<Side> sides;
    private final DemoDynamoDb coordinator;
    private final long beganNanos;
    private final Map<Fault, ActiveFault> active = new EnumMap<>(Fault.class);
    private final Map<Fault, String> outcomes = new EnumMap<>(Fault.class);
    private final List<Event> events = new ArrayList<>();
    private int nextToCrash;
    private int lastNumber;
    private boolean closed;

    public FaultInjector(List<Side> sides, DemoDynamoDb coordinator, long beganNanos) {
        this.sides = sides;
        this.coordinator = coordinator;
        this.beganNanos = beganNanos;
    }

    /**
     * An event, for the displays.
     *
     * @param number the number of the event, from 1, in order
     */
    public record Event(double atSeconds, String text, int number) {}

    /**
     * The status of one kind of fault.
     *
     * @param id the kind, see {@link Fault#id()}
     * @param active whether the fault is active
     * @param secondsLeft seconds until it ends by itself; -1 if that is not known
     * @param outcome the outcome of the last time; empty before that
     */
    public record Status(String id, boolean active, int secondsLeft, String outcome) {}

    /**
     * A fault that is active.
     *
     * @param crashed the number of the service that crashed, or -1
     * @param recovered when each side had recovered, and with how many connections
     */
    private record ActiveFault(long beganNanos, int crashed, Map<String, Recovery> recovered) {}

    private record Recovery(long nanos, int connections) {}

    /** Injects a fault. Returns a sentence that says what was done, or why nothing was done. */
    public synchronized String begin(Fault fault) {
        if (closed) {
            return fault.title() + " not injected: the demo has ended";
        }
        if (active.containsKey(fault)) {
            return fault.title() + " is still active";
        }
        long now = System.nanoTime();
        int crashed = -1;
        String done;
        switch (fault) {
            case MASS_DROP ->
                done = sides.stream()
                        .map(side -> side.name() + " lost "
                                + side.database().emulator().faults().dropShare(1) + " connections")
                        .collect(Collectors.joining(", ", "Mass drop: ", ""));
            case RATE_SQUEEZE -> {
                sides.forEach(side -> side.database()
                        .emulator()
                        .limits(Scale.LIMITS
                                .withRatePerSecond(Fault.SQUEEZED_PER_SECOND)
                                .withBurst(1)));
                done = "Rate squeeze: one new connection every two seconds, for 20 s";
            }
            case TOKEN_TROUBLE -> {
                sides.forEach(side -> side.database().emulator().faults().refuseTokens(true));
                done = "Token trouble: every token is refused, for 20 s";
            }
            case COORDINATOR_OUTAGE -> {
                coordinator.away(true);
                done = "Coordinator outage: DynamoDB does not answer, for 20 s";
            }
            case SERVICE_CRASH -> {
                int victim = nextToCrash;
                if (!sides.stream().allMatch(side -> side.services().get(victim).state() == State.RUNNING)) {
                    return "Crash of a service: " + Scale.serviceName(victim) + " is not running yet";
                }
                sides.forEach(side -> side.services().get(victim).crash());
                nextToCrash = (victim + 1) % Scale.SERVICES;
                crashed = victim;
                done = "Crash: " + Scale.serviceName(victim) + " crashed on both sides and starts again in 5 s";
            }
            default -> throw new IllegalStateException("bug: unknown fault " + fault);
        }
        active.put(fault, new ActiveFault(now, crashed, new LinkedHashMap<>()));
        outcomes.remove(fault);
        addEvent(now, done);
        return done;
    }

    /** Accepts no more faults. The caller ends those that are active. */
    public synchronized void close() {
        closed = true;
    }

    /** Ends faults that are over. The caller calls it several times a second. */
    public synchronized void tick() {
        long now = System.nanoTime();
        for (Fault fault : List.copyOf(active.keySet())) {
            ActiveFault begun = active.get(fault);
            if (begun == null) {
                continue;
            }
            long lasted = now - begun.beganNanos;
            if (fault.length().isPresent()) {
                if (lasted >= fault.length().get().toNanos()) {
                    undo(fault);
                    over(fault, now, "over after " + lasted / 1_000_000_000 + " s");
                }
            } else if (isRecovered(begun, lasted) || lasted > RECOVERY_TIMEOUT_NANOS) {
                over(fault, now, recoveryText(fault, begun));
            }
        }
    }

    private boolean isRecovered(ActiveFault begun, long lasted) {
        if (lasted > RECOVERY_MIN_NANOS) {
            for (Side side : sides) {
                if (!begun.recovered.containsKey(side.name()) && hasAll(side, begun.crashed)) {
                    begun.recovered.put(
                            side.name(), new Recovery(lasted, side.database().open()));
                }
            }
        }
        return begun.recovered.size() == sides.size();
    }

    /**
     * Whether all services hold as many connections as they are set to hold, and the database has at least as many
     * open.
     */
    private static boolean hasAll(Side side, int crashed) {
        int believed = side.services().stream()
                .mapToInt(service -> service.levels().open())
                .sum();
        boolean runs = crashed < 0 || side.services().get(crashed).state() == State.RUNNING;
        return runs && side.isFull() && side.database().open() >= believed;
    }

    private String recoveryText(Fault fault, ActiveFault begun) {
        String what = fault == Fault.MASS_DROP ? "full again: " : "back and full: ";
        return sides.stream()
                .map(side -> side.name() + " " + after(begun.recovered.get(side.name())))
                .collect(Collectors.joining(", ", what, ""));
    }

    private static String after(@Nullable Recovery recovery) {
        return recovery == null
                ? "not within " + TimeUnit.NANOSECONDS.toSeconds(RECOVERY_TIMEOUT_NANOS) + " s"
                : String.format(Locale.ROOT, "%d connections after %.1f s", recovery.connections, recovery.nanos / 1e9);
    }

    private void undo(Fault fault) {
        switch (fault) {
            case RATE_SQUEEZE ->
                sides.forEach(side -> side.database().emulator().limits(Scale.LIMITS));
            case TOKEN_TROUBLE ->
                sides.forEach(side -> side.database().emulator().faults().refuseTokens(false));
            case COORDINATOR_OUTAGE -> coordinator.away(false);
            default -> throw new IllegalStateException("bug: " + fault + " cannot be undone");
        }
    }

    private void over(Fault fault, long now, String outcome) {
        active.remove(fault);
        outcomes.put(fault, outcome);
        addEvent(now, fault.title() + " " + (outcome.startsWith("over") ? "" : "over, ") + outcome);
    }

    private void addEvent(long now, String text) {
        if (events.size() == EVENTS_MAX) {
            events.remove(0);
        }
        events.add(new Event((now - beganNanos) / 1e9, text, ++lastNumber));
    }

    public synchronized List<Status> statuses() {
        long now = System.nanoTime();
        List<Status> all = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            ActiveFault begun = active.get(fault);
            int left = begun == null || fault.length().isEmpty()
                    ? -1
                    : (int) Math.max(0, Math.ceil((fault.length().get().toNanos() - (now - begun.beganNanos)) / 1e9));
            all.add(new Status(fault.id(), begun != null, left, outcomes.getOrDefault(fault, "")));
        }
        return all;
    }

    public synchronized List<Event> events() {
        return List.copyOf(events);
    }
}
