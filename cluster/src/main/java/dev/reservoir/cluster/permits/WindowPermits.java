package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.Write;
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
 *
 * <ul>
 *   <li>One write serves all requests that wait in this process. It takes only a part of the second's permits, so that
 *       other processes find some left.
 *   <li>The answer says how many permits are left. A process does not ask again for a second that it knows to be full.
 *   <li>After a full second, processes with urgent requests begin early in the next second and the others later. Each
 *       begins at a random moment.
 *   <li>A process that gets no permit for several seconds in a row skips some seconds.
 * </ul>
 */
public final class WindowPermits extends QueuedPermits {
    /** Time after which the table may delete the item of a second. Go processes use the same value. */
    private static final long TTL_SECONDS = 180;

    /** How long after the end of its second a permit can still be used. */
    private static final long LATE_NANOS = 1_000_000_000L;

    /** Number of parts into which the permits of a second are divided. One write takes at most one part. */
    private static final int PARTS = 10;

    /** After a full second, processes with urgent requests begin at random within this part of the next one. */
    private static final long URGENT_MILLIS = 150;

    /** After a full second, processes that only top up begin this late in the next, spread over the time below. */
    private static final long OTHERS_FROM_MILLIS = 300;

    private static final long OTHERS_MILLIS = 200;

    /**
     * Upper bound of N in this rule: after N full seconds in a row without a permit, a process skips a random number of
     * seconds from 0 to N - 1. The rule starts at N = 2.
     */
    private static final int SECONDS_SKIPPED_MAX = 3;

    /** Pause between two parts if no other process counts in this second. */
    private static final double PACE_MILLIS = 30;

    /** Longest pause between two parts if other processes count in this second as well. */
    private static final double PACE_AMONG_OTHERS_MILLIS = 100;

    private final int limit;

    /** Permits that are counted and not used, ordered by when they lapse. */
    private final PriorityQueue<CountedPermit> permits =
            new PriorityQueue<>(Comparator.comparingLong(it -> it.lapsesNanos));

    /** The second that this process last asked for. */
    private Window window = new Window(Long.MIN_VALUE);

    /** The last second that was found full. */
    private long fullSecond = Long.MIN_VALUE;

    /** Where in its part of the next second this process begins, from 0 to 1. */
    private double place;

    /** How many seconds this process skips after a full one. */
    private int secondsSkipped;

    /** Number of seconds in a row in which this process got no permit. */
    private int denials;

    private boolean hadUrgent;

    public WindowPermits(BudgetContext context, StoreCalls calls) {
        super(context, calls);
        this.limit = (int) settings.ratePerSecond();
    }

    @Override
    String terms() {
        return "counted by the second";
    }

    @Override
    String state() {
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
    public CompletionStage<Void> close() {
        closed = true;
        queue.close();
        go();
        return CompletableFuture.completedFuture(null);
    }

    private long second() {
        return Math.floorDiv(clock.millis(), 1_000L);
    }

    @Override
    void serveDue() {
        while (queue.size() > 0 && !permits.isEmpty()) {
            serve(permits.remove());
        }
    }

    @Override
    long next() {
        boolean urgent = queue.urgent() > 0;
        if (urgent && !hadUrgent) {
            // The urgent requests are new, so they have not been refused yet.
            secondsSkipped = 0;
        }
        hadUrgent = urgent;
        return queue.size() > 0 && !calling && !closed
                ? askIn(Math.max(notBeforeNanos - time.nanos(), untilTurnNanos(isUrgent())))
                : Long.MAX_VALUE;
    }

    @Override
    void dropLate() {
        long now = time.nanos();
        CountedPermit first;
        while ((first = permits.peek()) != null && first.lapsesNanos <= now) {
            permits.remove();
            lapsed++;
        }
    }

    private boolean isUrgent() {
        return queue.urgent() > 0 || queue.waitedNanos() >= PATIENCE_NANOS;
    }

    /** Returns the nanoseconds until requests of this urgency may ask; 0 or less if they may ask now. */
    private long untilTurnNanos(boolean urgent) {
        long now = clock.millis();
        long second = Math.floorDiv(now, 1_000L);
        if (fullSecond > second + 1) {
            // The clock was assumed to be ahead of where it is.
            fullSecond = Long.MIN_VALUE;
        }
        if (!clock.isKnown() || fullSecond < second - SECONDS_SKIPPED_MAX) {
            return 0;
        }
        long from = Math.max(second, fullSecond + 1 + secondsSkipped);
        double within = urgent ? place * URGENT_MILLIS : OTHERS_FROM_MILLIS + place * OTHERS_MILLIS;
        return (from * 1_000 + (long) within - now) * 1_000_000;
    }

    @Override
    void ask() {
        if (queue.size() == 0 || closed || untilTurnNanos(isUrgent()) > 0) {
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
            String key = ItemKeys.window(settings, second);
            calls.send(store -> store.read(List.of(key), true), (answer, error, sent) -> read(asked, answer));
        } else {
            int wanted = untilTurnNanos(false) <= 0 || queue.urgent() == 0 ? queue.size() : queue.urgent();
            // Ask for at least one permit, whatever seems to be left, because the store decides.
            take(asked, Math.max(1, Math.min(Math.min(wanted, part()), limit - asked.count)));
        }
    }

    private int part() {
        return (limit + PARTS - 1) / PARTS;
    }

    /** Handles a read. Its main purpose is the store's time, which each answer carries. */
    private void read(Window asked, @Nullable Answer answer) {
        if (answer == null) {
            pauseAfterFailure();
            return;
        }
        asked.count = countOf(answer.item());
        goOn(asked);
    }

    /** Continues after an answer about a second. */
    private void goOn(Window asked) {
        if (asked.count >= limit) {
            fullSecond = Math.max(fullSecond, asked.second);
            place = context.random().nextDouble();
            secondsSkipped = denials < 2 ? 0 : context.random().nextInt(Math.min(denials, SECONDS_SKIPPED_MAX));
        }
        calling = false;
        go();
    }

    private static int countOf(@Nullable Item item) {
        return (int) Math.min(Integer.MAX_VALUE, ItemKeys.number(item, ItemKeys.WINDOW_COUNT));
    }

    private void take(Window asked, int n) {
        long now = clock.millis();
        Write write = Write.update(
                ItemKeys.window(settings, asked.second),
                List.of(
                        Change.set(ItemKeys.WINDOW_UPDATED, now),
                        Change.set(Store.TTL, now / 1_000 + TTL_SECONDS),
                        Change.add(ItemKeys.WINDOW_COUNT, n)),
                Condition.atMost(ItemKeys.WINDOW_COUNT, limit - n).orAbsent());
        calls.send(store -> store.write(write), (answer, error, sent) -> took(asked, n, answer));
    }

    private void took(Window asked, int n, @Nullable Answer answer) {
        if (answer == null) {
            // If the write was applied all the same, nobody uses its permits.
            pauseAfterFailure();
            return;
        }
        pause.reset();
        asked.count = countOf(answer.item());
        if (answer.applied()) {
            tries = 0;
            denials = 0;
            asked.mine += n;
            long left = ((asked.second + 1) * 1_000 - clock.millis()) * 1_000_000;
            for (int i = 0; i < n; i++) {
                permits.add(new CountedPermit(time.nanos() + left + LATE_NANOS));
            }
            notBeforeNanos = time.nanos() + paceNanos(asked, n);
            goOn(asked);
        } else if (asked.count >= limit) {
            tries = 0;
            denied++;
            if (asked.mine == 0) {
                denials++;
            }
            goOn(asked);
        } else {
            askAgain();
        }
    }

    /** Returns how long to leave the second to other processes: less if fewer permits were taken. */
    private long paceNanos(Window asked, int n) {
        double millis = PACE_MILLIS;
        if (asked.count > asked.mine) {
            double parts = Math.max(1, Math.ceil((double) (limit - asked.count) / part()));
            double rest = (asked.second + 1) * 1_000 - clock.millis();
            millis = Math.max(PACE_MILLIS, Math.min(PACE_AMONG_OTHERS_MILLIS, rest / parts));
        }
        return (long) (millis * 1e6 * n / part() * jitter(0.2));
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
    private final class CountedPermit implements Permit {
        private final long lapsesNanos;

        CountedPermit(long lapsesNanos) {
            this.lapsesNanos = lapsesNanos;
        }

        @Override
        public void giveBack() {
            serial.enter(() -> {
                permits.add(this);
                go();
            });
        }
    }
}
