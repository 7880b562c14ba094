package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Permits of a whole cluster from one token bucket. The bucket is one item that says up to which moment, on the store's
 * clock, slots are taken. One conditional write moves that moment forward by n slots. These slots then belong to this
 * process and to no other, whatever any clock says. A slot may be used from its due time, and for up to a second after
 * it. The process gives a slot back that nobody needs if no other slot was taken after it. Otherwise the slot lapses.
 *
 * <p>The bucket is full when the item is a whole burst behind the clock, so it never falls further behind. As
 * everywhere, this class uses the bound of the clock that grants less. No process begins a reservation beyond a
 * horizon, so processes that die leave no long gap. But a process that has no slot at all may always queue for one, so
 * every process is served. The horizon is much nearer for requests that only top up than for urgent ones. Urgent
 * requests therefore find a short queue ahead of them, and requests that top up get no slots until the urgent ones are
 * served. A process that finds the horizon passed knows from the answer when to ask again.
 */
public final class ReservationPermits extends QueuedPermits {
    private static final long SECOND_MICROS = 1_000_000L;

    /** Longest time that a connect is assumed to take on its way to the database, plus the inaccuracy of the clocks. */
    private static final double ON_ITS_WAY_SECONDS = 0.2;

    /** How far ahead slots may be reserved. It bounds the gap that processes leave if they die with reserved slots. */
    private static final long HORIZON_MICROS = 10 * SECOND_MICROS;

    /** How far ahead slots may be reserved for requests that only top up. Urgent ones then find a short queue. */
    private static final long HORIZON_OF_TOP_UPS_MICROS = SECOND_MICROS;

    /** Longest time after its due time that a slot may be used. The database's bucket is a further limit. */
    private static final long LATE_MICROS = SECOND_MICROS;

    /** Shortest time for which a slot can be used after its due time. With less, no slot could be used. */
    private static final long LATE_MIN_MICROS = SECOND_MICROS / 10;

    /** Step in which the floor moves if answers are quick. */
    private static final long STEP_MICROS = SECOND_MICROS / 10;

    /** Upper bound for the time that an answer is expected to take. */
    private static final long TOOK_MAX_MICROS = 5 * SECOND_MICROS;

    /** Pause before surplus slots are given back, in case they are needed after all. */
    private static final long SURE_NANOS = 50_000_000L;

    /** Number of slots that a process may always reserve, however many processes share them. */
    private static final int PART_MIN = 2;

    /** Number of slots that a process may reserve while the number of processes is unknown, as at a start. */
    private static final int PART_IF_UNKNOWN = 10;

    /** Up to this many processes, every process polls each time new slots become available. */
    private static final int SMALL_FLEET = 50;

    private final String key;
    private final long burstMicros;
    private final long lateMicros;

    /** Slots that are reserved and not used, by when they lapse: those that are due come first, in order. */
    private final PriorityQueue<Slot> slots = new PriorityQueue<>(Comparator.comparingLong(slot -> slot.untilMicros));

    /** The last reservation that this process made. */
    private @Nullable Reservation last;

    /** Up to which moment slots were taken, as last seen; null if that is unknown. */
    private @Nullable Long nextMicros;

    /** How long the last answer took. */
    private long tookMicros;

    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private int denials;

    /** Whether a timer is set that gives surplus slots back. */
    private boolean givesBackSoon;

    public ReservationPermits(BudgetContext context, StoreCalls calls) {
        super(context, calls);
        this.key = ItemKeys.permits(settings.cluster());
        this.burstMicros = span(usableBurst(settings));
        this.lateMicros = Math.max(LATE_MIN_MICROS, Math.min(LATE_MICROS, burstMicros));
    }

    /**
     * Returns how much of the burst processes use. The database counts a connect only when it arrives. Its bucket does
     * not fill beyond the burst in the meantime. The budget therefore leaves out the permits that accrue while a
     * connect is on its way, unless that is half of the burst or more.
     */
    public static int usableBurst(ClusterSettings settings) {
        int onItsWay = (int) Math.ceil(settings.ratePerSecond() * ON_ITS_WAY_SECONDS);
        return settings.burst() > 2 * onItsWay ? settings.burst() - onItsWay : settings.burst();
    }

    /** Returns the time that n slots take up on the clock, rounded up. */
    private long span(int n) {
        return (long) Math.ceil(n * 1e6 / settings.ratePerSecond());
    }

    @Override
    String terms() {
        return "burst " + settings.burst();
    }

    @Override
    String state() {
        Long next = nextMicros;
        if (next == null) {
            return "next free slot not known yet";
        }
        long ahead = Math.max(0, next - clock.earliestMicros());
        return "next free slot in " + Text.nanos(ahead * 1_000)
                + (ahead > 6 * HORIZON_MICROS ? ", further than any process may reserve: see cluster repair" : "");
    }

    @Override
    public CompletionStage<Void> close() {
        closed = true;
        queue.close();
        giveBack();
        go();
        if (!calling) {
            called();
        }
        return ended;
    }

    @Override
    void serveDue() {
        long now = clock.earliestMicros();
        Slot first;
        while (queue.size() > 0 && (first = slots.peek()) != null && first.dueMicros <= now) {
            slots.remove();
            serve(first);
        }
    }

    @Override
    long next() {
        Slot first = slots.peek();
        long wait =
                first != null && queue.size() > 0 ? (first.dueMicros - clock.earliestMicros()) * 1_000 : Long.MAX_VALUE;
        if (wanted() > 0 && !calling && !closed) {
            return Math.min(wait, askIn(notBeforeNanos - time.nanos()));
        }
        if (slots.size() > queue.size() && !givesBackSoon) {
            givesBackSoon = true;
            after(SURE_NANOS, () -> {
                givesBackSoon = false;
                giveBack();
            });
        }
        return wait;
    }

    @Override
    void dropLate() {
        long now = clock.earliestIfSleptMicros();
        Slot first;
        while ((first = slots.peek()) != null && now > first.untilMicros) {
            slots.remove();
            lapsed++;
        }
    }

    /**
     * Returns how many slots to ask for now. The process asks for what it needs, but it never holds more than its share
     * of all slots within half of the horizon. Otherwise the first processes to ask would leave nothing to the others
     * for long. If it needs many, it asks only after half of its share is used up, so that it does not ask for a few at
     * a time.
     */
    private int wanted() {
        int needed = queue.size() - slots.size();
        int members = context.members();
        double fair = settings.ratePerSecond() * HORIZON_MICROS / SECOND_MICROS / 2 / Math.max(1, members);
        int part = members == 0 ? PART_IF_UNKNOWN : (int) Math.max(PART_MIN, fair);
        int room = part - slots.size();
        return room >= Math.min(needed, (part + 1) / 2) ? Math.min(needed, room) : 0;
    }

    @Override
    void ask() {
        int needed = wanted();
        if (needed <= 0 || closed) {
            called();
            go();
        } else if (nextMicros == null || !clock.isKnown()) {
            calls.send(store -> store.read(List.of(key), true), (answer, error, sent) -> {
                tookMicros = (time.nanos() - sent) / 1_000;
                if (answer == null) {
                    failed(error);
                } else {
                    nextMicros = ItemKeys.number(answer.item(), ItemKeys.NEXT);
                    ask();
                }
            });
        } else {
            reserve(needed, nextMicros);
        }
    }

    /** Moves the bucket forward if it is where it was last seen: before the floor, or between floor and horizon. */
    private void reserve(int needed, long seenMicros) {
        int urgent = queue.urgent() - slots.size();
        boolean patient = urgent <= 0 && queue.waitedNanos() < PATIENCE_NANOS;
        long now = clock.earliestMicros();
        long horizon = now + (patient ? HORIZON_OF_TOP_UPS_MICROS : HORIZON_MICROS);
        boolean forOne = seenMicros > horizon && slots.isEmpty() && !patient;
        if (forOne) {
            horizon = now + settings.maxWait().toNanos() / 1_000;
        }
        if (seenMicros > horizon) {
            putOff(seenMicros, horizon, patient);
            return;
        }
        boolean forAll = urgent <= 0 || seenMicros <= now + HORIZON_OF_TOP_UPS_MICROS;
        int n = forOne ? 1 : forAll ? needed : Math.min(needed, urgent);
        long floor = floorMicros();
        Change counted = Change.add(ItemKeys.SEQUENCE, 1);
        Change stamped = Change.set(ItemKeys.UPDATED, clock.millis());
        Write write = seenMicros < floor
                ? Write.update(
                        key,
                        List.of(Change.set(ItemKeys.NEXT, floor + span(n)), counted, stamped),
                        Condition.less(ItemKeys.NEXT, floor).orAbsent())
                : Write.update(
                        key,
                        List.of(Change.add(ItemKeys.NEXT, span(n)), counted, stamped),
                        Condition.atLeast(ItemKeys.NEXT, floor),
                        Condition.atMost(ItemKeys.NEXT, horizon));
        calls.send(store -> store.write(write), (answer, error, sent) -> {
            tookMicros = (time.nanos() - sent) / 1_000;
            reserved(n, answer, error);
        });
    }

    /**
     * Returns the moment before which slots are lost because the bucket is full. It includes slots that will be lost by
     * the time the answer arrives. If other processes ask as well, the floor moves in steps, each longer than two calls
     * take. Otherwise each process would use a floor of its own, and each would keep finding the bucket on the wrong
     * side of it.
     */
    private long floorMicros() {
        long took = Math.min(TOOK_MAX_MICROS, tookMicros);
        long floor = clock.latestMicros() - burstMicros + took + took / 4;
        if (tries == 0) {
            return floor;
        }
        long step = Math.max(1_000, Math.min(STEP_MICROS, burstMicros / 8));
        while (step < 2 * took) {
            step *= 2;
        }
        return (floor + step - 1) / step * step;
    }

    private void reserved(int n, @Nullable Answer answer, @Nullable StoreException error) {
        if (answer == null) {
            failed(error);
            return;
        }
        pause.reset();
        Item item = answer.item();
        nextMicros = ItemKeys.number(item, ItemKeys.NEXT);
        if (answer.applied() && item != null) {
            tries = 0;
            denials = 0;
            called();
            long start = nextMicros - span(n);
            long untilMin = clock.earliestMicros() + LATE_MIN_MICROS;
            Reservation reservation = new Reservation(start, n, item.number(ItemKeys.SEQUENCE, 0));
            last = reservation;
            for (int k = 1; k <= n; k++) {
                long due = start + span(k);
                // Slots of the burst were due long ago, but became available only now. If the answer took long, the
                // first of them are now further back than a whole burst. The bucket has overflowed, and these slots are
                // lost.
                long burstOver = due + burstMicros - span(1);
                long until = Math.max(due + lateMicros, Math.min(untilMin, burstOver));
                slots.add(new Slot(due, until, reservation, k));
            }
            go();
        } else {
            // Other processes have written since the bucket was last seen. Each time, one of them got what it wanted.
            askAgain();
        }
    }

    /**
     * No slot is free within the horizon. Waits until the queue is shorter, and longer after each further denial. In a
     * small fleet it never waits until the queue is empty. Otherwise slots would pass that nobody has asked for.
     */
    private void putOff(long seenMicros, long horizonMicros, boolean patient) {
        tries = 0;
        denied++;
        denials = Math.min(denials + 1, 4);
        long ahead = horizonMicros - clock.earliestMicros();
        if (seenMicros - horizonMicros > 2 * HORIZON_MICROS) {
            // No correct clock reserves that far ahead. Read it again, because an operator may repair the bucket.
            nextMicros = null;
            later(HORIZON_MICROS * 1_000);
            return;
        }
        int spread = Math.min(denials, 1 + context.members() / SMALL_FLEET);
        double later = jitter(0.5) / 2 * ahead * spread;
        long wait = (seenMicros - horizonMicros + (long) later) * 1_000;
        later(patient ? Math.min(wait, PATIENCE_NANOS - queue.waitedNanos()) : wait);
    }

    private void failed(@Nullable StoreException error) {
        if (error != null && error.kind().mayBeDone()) {
            // The write may have taken slots that nobody will use. They lapse.
            nextMicros = null;
        }
        pauseAfterFailure();
    }

    @Override
    void called() {
        super.called();
        if (closed) {
            serial.later(() -> ended.complete(null));
        }
    }

    /** Gives back unneeded slots at the end of the last reservation, if no other reservation was made after it. */
    private void giveBack() {
        dropLate();
        Reservation from = last;
        int surplus = slots.size() - queue.size();
        if (from == null || surplus <= 0 || calling) {
            return;
        }
        List<Slot> tail = new ArrayList<>();
        slots.stream()
                .filter(slot -> slot.of == from)
                .sorted(Comparator.comparingInt((Slot slot) -> slot.number).reversed())
                .forEach(slot -> {
                    if (slot.number == from.size - tail.size() && tail.size() < surplus) {
                        tail.add(slot);
                    }
                });
        if (tail.isEmpty()) {
            return;
        }
        // From here on nobody uses these slots, whatever becomes of the write, because another process may own them.
        slots.removeAll(tail);
        calling = true;
        int left = from.size - tail.size();
        Write write = Write.update(
                key,
                List.of(
                        Change.set(ItemKeys.NEXT, from.startMicros + (left == 0 ? 0 : span(left))),
                        Change.add(ItemKeys.SEQUENCE, 1),
                        Change.set(ItemKeys.UPDATED, clock.millis())),
                Condition.equal(ItemKeys.SEQUENCE, from.sequence));
        calls.send(store -> store.write(write), (answer, error, sent) -> {
            called();
            if (answer != null && answer.applied() && answer.item() != null) {
                givenBack += tail.size();
                from.size = left;
                from.sequence = answer.item().number(ItemKeys.SEQUENCE, 0);
                nextMicros = ItemKeys.number(answer.item(), ItemKeys.NEXT);
            } else {
                last = null;
                if (answer != null) {
                    nextMicros = ItemKeys.number(answer.item(), ItemKeys.NEXT);
                    slots.addAll(tail);
                } else {
                    nextMicros = null;
                    lapsed += tail.size();
                }
            }
            go();
        });
    }

    /** The slots that one write reserved. */
    private static final class Reservation {
        private final long startMicros;
        private int size;
        private long sequence;

        Reservation(long startMicros, int size, long sequence) {
            this.startMicros = startMicros;
            this.size = size;
            this.sequence = sequence;
        }
    }

    /** One slot: the permit to open one connection from its due time. */
    public final class Slot implements Permit {
        /** The moment from which the slot may be used, on the store's clock. */
        public final long dueMicros;

        /** The moment until which the slot may be used. */
        private final long untilMicros;

        private final Reservation of;
        private final int number;

        Slot(long dueMicros, long untilMicros, Reservation of, int number) {
            this.dueMicros = dueMicros;
            this.untilMicros = untilMicros;
            this.of = of;
            this.number = number;
        }

        @Override
        public void giveBack() {
            serial.enter(() -> {
                slots.add(this);
                go();
            });
        }
    }
}
