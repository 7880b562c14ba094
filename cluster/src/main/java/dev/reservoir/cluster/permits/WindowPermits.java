package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.JitteredPause;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.cluster.protocol.StoreHealth;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Permits of a whole cluster as Go processes count them. There is one item for each second of the store's clock, and no
 * process counts beyond the limit in it. One conditional write takes several permits of the current second, which are
 * used at once. Permits that arrive too late lapse. Never decrements the count, because Go processes do not either.
 *
 * <p>A second cannot be reserved ahead, so every process that waits has to ask again. These rules keep that cheap and
 * fair:
 * <ul>
 * <li>One write serves all requests that wait in this process. It takes only a part of the second's permits, so that
 * other processes find some left.
 * <li>The answer says how many permits are left. A process does not ask again for a second that it knows to be full.
 * <li>After a full second, processes with urgent requests begin early in the next second and the others later. Each
 * begins at a random moment.
 * <li>A process that gets no permit for several seconds in a row skips some seconds.
 * </ul>
 */
public final class WindowPermits implements ClusterPermits {
    /** Time after which the table may delete the item of a second. Go processes use the same value. */
    private static final long TTL_SECONDS = 180;

    /** Requests that arrive within this time share one write. */
    private static final long GATHER_NANOS = 1_000_000L;

    /** How long after the end of its second a permit can still be used. */
    private static final long LATE_NANOS = 1_000_000_000L;

    /** Number of parts into which the permits of a second are divided. One write takes at most one part. */
    private static final int PARTS = 10;

    /**
     * After a full second, processes with urgent requests begin at a random moment within this first part of the next
     * second.
     */
    private static final long URGENT_MILLIS = 150;

    /**
     * After a full second, processes that only top up begin this long after the start of the next second. They spread
     * over {@code OTHERS_MILLIS}.
     */
    private static final long OTHERS_FROM_MILLIS = 300;

    private static final long OTHERS_MILLIS = 200;

    /** After this wait, requests that only top up are treated as urgent. */
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    /**
     * Upper bound of N in this rule: after N full seconds in a row without a permit, a process skips a random number of
     * seconds from 0 to N - 1. The rule starts at N = 2.
     */
    private static final int SECONDS_LEFT_OUT = 3;

    /** Pause between two parts if no other process counts in this second. */
    private static final double PACE_MILLIS = 30;

    /** Longest pause between two parts if other processes count in this second as well. */
    private static final double PACE_AMONG_OTHERS_MILLIS = 100;

    /** Number of attempts in a row to take what is left of a second. Then comes a pause. */
    private static final int TRIES = 8;

    private final BudgetContext context;
    private final ClusterSettings settings;
    private final SerialExecutor serial;
    private final Time time;
    private final StoreClock clock;
    private final StoreCalls calls;
    private final StoreHealth.Way storeHealth;
    private final int limit;
    private final PermitQueue queue;
    private final LocalFallback fallback;
    private final JitteredPause pause;

    /** Permits that are counted and not used, ordered by when they lapse. */
    private final PriorityQueue<Ticket> tickets = new PriorityQueue<>(Comparator.comparingLong(it -> it.lapsesNanos));

    /** The second that this process last asked for. */
    private Window window = new Window(Long.MIN_VALUE);

    /** The last second that was found full. */
    private long fullSecond = Long.MIN_VALUE;

    /** Where in its part of the next second this process begins, from 0 to 1. */
    private double place;

    /** How many seconds this process skips after a full one. */
    private int leftOut;

    /** Number of seconds in a row in which this process got no permit. */
    private int denials;

    private boolean hadUrgent;
    private boolean calling;
    private boolean closed;
    private int tries;
    private long notBeforeNanos;
    private Time.@Nullable Timer alarm;
    private long denied;
    private long lapsed;

    public WindowPermits(BudgetContext context, StoreCalls calls) {
        this.context = context;
        this.settings = context.settings();
        this.serial = context.serial();
        this.time = context.time();
        this.clock = context.clock();
        this.storeHealth = calls.storeHealth();
        this.calls = calls;
        this.limit = (int) settings.ratePerSecond();
        this.queue =
                new PermitQueue(serial, context.timers(), settings.maxWait().toNanos(), this::go, this::why);
        this.fallback = new LocalFallback(context);
        this.pause = new JitteredPause(50_000_000L, 5_000_000_000L, context.random());
        storeHealth.listen(this::go);
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        return queue.join(urgency);
    }

    @Override
    public double ratePerSecond() {
        return context.fairRate();
    }

    @Override
    public String describe() {
        StringBuilder text = new StringBuilder();
        serial.enter(() -> text.append("cluster's connection rate ")
                .append(Text.perSecond(limit))
                .append(", counted by the second, ")
                .append(why()));
        return text.toString();
    }

    private String why() {
        if (storeHealth.isAway()) {
            return "the cluster budget does not answer (" + storeHealth.why() + ")";
        }
        long second = second();
        if (fullSecond == second) {
            long left = (second + 1) * 1_000 - clock.millis();
            return "all " + limit + " of this second taken, the next begins in " + Text.nanos(left * 1_000_000);
        }
        return window.second == second
                ? window.count + " of " + limit + " taken in this second"
                : "this second not asked yet";
    }

    @Override
    public BudgetStats.Permits stats() {
        dropLate();
        return queue.stats(denied, 0, lapsed);
    }

    @Override
    public CompletionStage<Void> close() {
        closed = true;
        queue.close();
        go();
        return CompletableFuture.completedFuture(null);
    }

    private long second() {
        return Math.floorDiv(clock.millis(), 1_000L);
    }

    /** Serves the requests that can be served, and starts the call or timer that is needed next. */
    private void go() {
        dropLate();
        while (queue.size() > 0 && !tickets.isEmpty()) {
            queue.serve(tickets.remove());
        }
        long wait = fallback.serve(queue, storeHealth.goesOnAlone(), Long.MAX_VALUE);
        boolean urgent = queue.urgent() > 0;
        if (urgent && !hadUrgent) {
            // The urgent requests are new, so they have not been refused yet.
            leftOut = 0;
        }
        hadUrgent = urgent;
        if (queue.size() > 0 && !calling && !closed) {
            long left = Math.max(notBeforeNanos - time.nanos(), turnNanos(isUrgent()));
            if (left <= 0) {
                calling = true;
                time.schedule(GATHER_NANOS, () -> serial.enter(this::ask));
            } else {
                wait = Math.min(wait, left);
            }
        }
        setAlarm(wait);
    }

    private void setAlarm(long waitNanos) {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
        if (waitNanos < Long.MAX_VALUE && queue.size() > 0) {
            alarm = time.schedule(Math.max(1, waitNanos), () -> serial.enter(this::go));
        }
    }

    private void dropLate() {
        long now = time.nanos();
        Ticket first;
        while ((first = tickets.peek()) != null && first.lapsesNanos <= now) {
            tickets.remove();
            lapsed++;
        }
    }

    private boolean isUrgent() {
        return queue.urgent() > 0 || queue.waitedNanos() >= PATIENCE_NANOS;
    }

    /** Returns the nanoseconds until requests of this urgency may ask; 0 or less if they may ask now. */
    private long turnNanos(boolean urgent) {
        long now = clock.millis();
        long second = Math.floorDiv(now, 1_000L);
        if (fullSecond > second + 1) {
            // The clock was assumed to be ahead of where it is.
            fullSecond = Long.MIN_VALUE;
        }
        if (!clock.isKnown() || fullSecond < second - SECONDS_LEFT_OUT) {
            return 0;
        }
        long from = Math.max(second, fullSecond + 1 + leftOut);
        double within = urgent ? place * URGENT_MILLIS : OTHERS_FROM_MILLIS + place * OTHERS_MILLIS;
        return (from * 1_000 + (long) within - now) * 1_000_000;
    }

    private void ask() {
        if (queue.size() == 0 || closed || turnNanos(isUrgent()) > 0) {
            calling = false;
            go();
            return;
        }
        long second = second();
        if (second != window.second) {
            window = new Window(second);
        }
        Window asked = window;
        if (!clock.isKnown()) {
            String key = ItemKeys.window(settings.hostName(), second);
            calls.send(store -> store.read(List.of(key), true), (answer, error, sent) -> read(asked, answer));
        } else {
            int turns = turnNanos(false) <= 0 || queue.urgent() == 0 ? queue.size() : queue.urgent();
            // Ask for at least one permit, whatever seems to be left, because the store decides.
            take(asked, Math.max(1, Math.min(Math.min(turns, part()), limit - asked.count)));
        }
    }

    private int part() {
        return (limit + PARTS - 1) / PARTS;
    }

    /** Handles a read. Its main purpose is the store's time, which each answer carries. */
    private void read(Window asked, @Nullable Answer answer) {
        if (answer == null) {
            failed();
            return;
        }
        asked.count = countOf(answer.item());
        if (asked.count >= limit) {
            full(asked);
        }
        calling = false;
        go();
    }

    private static int countOf(@Nullable Item item) {
        return item == null ? 0 : (int) Math.min(Integer.MAX_VALUE, item.number(ItemKeys.WINDOW_COUNT, 0));
    }

    private void take(Window asked, int n) {
        long now = clock.millis();
        Write write = Write.update(
                ItemKeys.window(settings.hostName(), asked.second),
                List.of(
                        Change.set(ItemKeys.WINDOW_UPDATED, now),
                        Change.set(ItemKeys.TTL, now / 1_000 + TTL_SECONDS),
                        Change.add(ItemKeys.WINDOW_COUNT, n)),
                Condition.atMost(ItemKeys.WINDOW_COUNT, limit - n).orAbsent());
        calls.send(store -> store.write(write), (answer, error, sent) -> took(asked, n, answer));
    }

    private void took(Window asked, int n, @Nullable Answer answer) {
        if (answer == null) {
            // If the write was applied all the same, nobody uses its permits.
            failed();
            return;
        }
        pause.reset();
        asked.count = countOf(answer.item());
        if (answer.applied()) {
            tries = 0;
            denials = 0;
            asked.mine += n;
            keep(asked, n);
            notBeforeNanos = time.nanos() + paceNanos(asked, n);
            if (asked.count >= limit) {
                full(asked);
            }
            calling = false;
            go();
        } else if (asked.count >= limit) {
            tries = 0;
            denied++;
            if (asked.mine == 0) {
                denials++;
            }
            full(asked);
            calling = false;
            go();
        } else if (++tries < TRIES) {
            ask();
        } else {
            tries = 0;
            later(pause.next());
        }
    }

    private void keep(Window asked, int n) {
        long left = ((asked.second + 1) * 1_000 - clock.millis()) * 1_000_000;
        for (int i = 0; i < n; i++) {
            tickets.add(new Ticket(time.nanos() + left + LATE_NANOS));
        }
    }

    /**
     * Returns how long to leave the rest of the second to other processes. The pause is shorter if fewer permits were
     * taken.
     */
    private long paceNanos(Window asked, int n) {
        double millis = PACE_MILLIS;
        if (asked.count > asked.mine) {
            double parts = Math.max(1, Math.ceil((double) (limit - asked.count) / part()));
            double rest = (asked.second + 1) * 1_000 - clock.millis();
            millis = Math.max(PACE_MILLIS, Math.min(PACE_AMONG_OTHERS_MILLIS, rest / parts));
        }
        return (long) (millis * 1e6 * n / part() * (0.8 + 0.4 * context.random().nextDouble()));
    }

    private void full(Window asked) {
        fullSecond = Math.max(fullSecond, asked.second);
        place = context.random().nextDouble();
        leftOut = denials < 2 ? 0 : context.random().nextInt(Math.min(denials, SECONDS_LEFT_OUT));
    }

    private void failed() {
        tries = 0;
        later(pause.next());
    }

    private void later(long nanos) {
        calling = false;
        notBeforeNanos = time.nanos() + nanos;
        go();
    }

    /** One second, as last seen. */
    private static final class Window {
        private final long second;
        private int count;
        private int mine;

        Window(long second) {
            this.second = second;
        }
    }

    /** One permit that has been counted. */
    private final class Ticket implements Permit {
        private final long lapsesNanos;

        Ticket(long lapsesNanos) {
            this.lapsesNanos = lapsesNanos;
        }

        @Override
        public void giveBack() {
            serial.enter(() -> {
                tickets.add(this);
                go();
            });
        }
    }
}
