package dev.reservoir.demo.trouble;

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
public final class Troubles {
    /** Longest wait for a side to recover. After it the outcome says that the side did not recover. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /**
     * Shortest time before a side can count as recovered. A pool does not notice at once that its connections are cut.
     */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Most events that are kept. It bounds the memory of a long run. */
    private static final int EVENTS_MOST = 200;

    private final List<Side> sides;
    private final DemoDynamoDb coordinator;
    private final long beganNanos;
    private final Map<Trouble, Present> present = new EnumMap<>(Trouble.class);
    private final Map<Trouble, String> outcomes = new EnumMap<>(Trouble.class);
    private final List<Event> events = new ArrayList<>();
    private int nextToCrash;
    private int told;
    private boolean closed;

    public Troubles(List<Side> sides, DemoDynamoDb coordinator, long beganNanos) {
        this.sides = sides;
        this.coordinator = coordinator;
        this.beganNanos = beganNanos;
    }

    /**
     * An event, for the displays.
     *
     * @param number the number of the event, from 1, in order
     */
    public record Event(int number, double atSeconds, String text) {}

    /**
     * The status of one kind of fault.
     *
     * @param active whether the fault is active
     * @param secondsLeft seconds until it ends by itself; -1 if that is not known
     * @param outcome the outcome of the last time; empty before that
     */
    public record Status(Trouble trouble, boolean active, int secondsLeft, String outcome) {}

    /** An active fault. */
    private static final class Present {
        final long beganNanos;
        final int crashed;

        /** When each side had recovered, and with how many connections. */
        final Map<String, Recovery> recovered = new LinkedHashMap<>();

        Present(long beganNanos, int crashed) {
            this.beganNanos = beganNanos;
            this.crashed = crashed;
        }
    }

    private record Recovery(long nanos, int connections) {}

    /** Injects a fault. Returns a sentence that says what was done, or why nothing was done. */
    public synchronized String begin(Trouble trouble) {
        if (closed) {
            return trouble.title() + " comes too late: the demo is over";
        }
        if (present.containsKey(trouble)) {
            return trouble.title() + " is still going on";
        }
        long now = System.nanoTime();
        int crashed = -1;
        String done;
        switch (trouble) {
            case MASS_DROP ->
                done = sides.stream()
                        .map(side -> side.name() + " lost "
                                + side.database().faults().dropShare(1) + " connections")
                        .collect(Collectors.joining(", ", "Mass drop: ", ""));
            case RATE_SQUEEZE -> {
                sides.forEach(side -> side.database()
                        .limits(Scale.LIMITS
                                .withRatePerSecond(Trouble.SQUEEZED_PER_SECOND)
                                .withBurst(1)));
                done = "Rate squeeze: one new connection every two seconds, for 20 s";
            }
            case TOKEN_TROUBLE -> {
                sides.forEach(side -> side.database().faults().refuseTokens(true));
                done = "Token trouble: no token is taken, for 20 s";
            }
            case COORDINATOR_OUTAGE -> {
                coordinator.away(true);
                done = "Coordinator outage: DynamoDB does not answer, for 20 s";
            }
            case SERVICE_CRASH -> {
                int victim = nextToCrash;
                if (!sides.stream().allMatch(side -> side.services().get(victim).state() == State.RUNNING)) {
                    return "Crash of a service: " + Scale.serviceName(victim) + " does not run yet";
                }
                sides.forEach(side -> side.services().get(victim).crash());
                nextToCrash = (victim + 1) % Scale.SERVICES;
                crashed = victim;
                done = "Crash: " + Scale.serviceName(victim) + " died on both sides, and starts anew in 5 s";
            }
            default -> throw new IllegalStateException("bug: unknown trouble " + trouble);
        }
        present.put(trouble, new Present(now, crashed));
        outcomes.remove(trouble);
        tell(now, done);
        return done;
    }

    /** Accepts no more faults. The caller ends those that are active. */
    public synchronized void close() {
        closed = true;
    }

    /** Ends faults that are over. The caller calls it several times a second. */
    public synchronized void tick() {
        long now = System.nanoTime();
        for (Trouble trouble : List.copyOf(present.keySet())) {
            Present one = present.get(trouble);
            if (one == null) {
                continue;
            }
            long lasted = now - one.beganNanos;
            if (trouble.length().isPresent()) {
                if (lasted >= trouble.length().get().toNanos()) {
                    undo(trouble);
                    over(trouble, now, "over after " + lasted / 1_000_000_000 + " s");
                }
            } else if (isRecovered(one, lasted) || lasted > PATIENCE_NANOS) {
                over(trouble, now, told(trouble, one));
            }
        }
    }

    private boolean isRecovered(Present one, long lasted) {
        if (lasted > LEAST_NANOS) {
            for (Side side : sides) {
                if (!one.recovered.containsKey(side.name()) && hasAll(side, one.crashed)) {
                    one.recovered.put(
                            side.name(), new Recovery(lasted, side.database().open()));
                }
            }
        }
        return one.recovered.size() == sides.size();
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

    private String told(Trouble trouble, Present one) {
        String what = trouble == Trouble.MASS_DROP ? "full again: " : "back and full: ";
        return sides.stream()
                .map(side -> side.name() + " " + after(one.recovered.get(side.name())))
                .collect(Collectors.joining(", ", what, ""));
    }

    private static String after(@Nullable Recovery recovery) {
        return recovery == null
                ? "not within " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s"
                : String.format(Locale.ROOT, "%d connections after %.1f s", recovery.connections, recovery.nanos / 1e9);
    }

    private void undo(Trouble trouble) {
        switch (trouble) {
            case RATE_SQUEEZE -> sides.forEach(side -> side.database().limits(Scale.LIMITS));
            case TOKEN_TROUBLE -> sides.forEach(side -> side.database().faults().refuseTokens(false));
            case COORDINATOR_OUTAGE -> coordinator.away(false);
            default -> throw new IllegalStateException("bug: " + trouble + " cannot be undone");
        }
    }

    private void over(Trouble trouble, long now, String outcome) {
        present.remove(trouble);
        outcomes.put(trouble, outcome);
        tell(now, trouble.title() + " " + (outcome.startsWith("over") ? "" : "over, ") + outcome);
    }

    private void tell(long now, String text) {
        if (events.size() == EVENTS_MOST) {
            events.remove(0);
        }
        events.add(new Event(++told, (now - beganNanos) / 1e9, text));
    }

    /** Returns the status of every kind of fault. */
    public synchronized List<Status> statuses() {
        long now = System.nanoTime();
        List<Status> all = new ArrayList<>();
        for (Trouble trouble : Trouble.values()) {
            Present one = present.get(trouble);
            int left = one == null || trouble.length().isEmpty()
                    ? -1
                    : (int) Math.max(0, Math.ceil((trouble.length().get().toNanos() - (now - one.beganNanos)) / 1e9));
            all.add(new Status(trouble, one != null, left, outcomes.getOrDefault(trouble, "")));
        }
        return all;
    }

    /** Returns all events, oldest first. */
    public synchronized List<Event> events() {
        return List.copyOf(events);
    }
}
