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
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Permits of a whole cluster from one token bucket. The bucket is one item that says up to where, on the store's clock, slots
 * are taken; one conditional write moves that forward by n slots, which then belong to this process and to no other, whatever
 * any clock says. A slot may be used when it falls due, and for up to a second after; one that nobody needs is given back if no
 * other was taken behind it, and else lapses.
 *
 * <p>The bucket is full when the item lies a whole burst behind the clock, so it never lies further behind: here the bound of
 * the clock is used that gives less, as everywhere. Nobody begins a reservation beyond a horizon, so that processes that die
 * leave no long hole; but whoever has no slot at all may always stand in line for one, and so nobody is left out. For those who only
 * top up the horizon is much nearer than for the urgent, who therefore find a short line behind such and leave none of it to
 * them. Who finds the horizon passed knows from the answer when to ask again.
 */
public final class ReservationPermits implements ClusterPermits {
    private static final long SECOND_MICROS = 1_000_000L;

    /** How far ahead slots are reserved. */
    private static final long HORIZON_MICROS = 10 * SECOND_MICROS;

    /** The same for those who only top up. */
    private static final long HORIZON_OF_OTHERS_MICROS = SECOND_MICROS;

    /** After which those who only top up are treated as the urgent are. */
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    /** For so long after it fell due a slot can be used, at most: and never for longer than the database's bucket is deep. */
    private static final long LATE_MICROS = SECOND_MICROS;

    /** The same at least: else none could be used. */
    private static final long LATE_LEAST_MICROS = SECOND_MICROS / 10;

    /** In which steps the floor moves where answers are quick. */
    private static final long STEP_MICROS = SECOND_MICROS / 10;

    /** Answers are not expected to take longer. */
    private static final long TOOK_MOST_MICROS = 5 * SECOND_MICROS;

    /** Requests that come within this time are one write. */
    private static final long GATHER_NANOS = 1_000_000L;

    /** Before slots are given back it is seen whether they are not needed after all. */
    private static final long SURE_NANOS = 50_000_000L;

    /** How often two forms of the write are tried in turn, because others write as well, before there is a pause. */
    private static final int TRIES = 8;

    /** So many slots a process may reserve however many share them. */
    private static final int PART_LEAST = 2;

    /** The same while it is not known how many do, as when a whole fleet starts. */
    private static final int PART_UNKNOWN = 10;

    /** So many processes can all ask as often as slots come into reach. */
    private static final int FEW = 50;

    private final BudgetContext around;
    private final ClusterSettings settings;
    private final SerialExecutor serial;
    private final Time time;
    private final StoreClock clock;
    private final StoreCalls calls;
    private final StoreHealth.Way reach;
    private final String key;
    private final long burstMicros;
    private final long lateMicros;
    private final PermitQueue line;
    private final LocalFallback alone;
    private final JitteredPause pause;

    /** Reserved and not used, the first to lapse first: so those that are due before all others, and these in their order. */
    private final PriorityQueue<Slot> slots = new PriorityQueue<>(Comparator.comparingLong(slot -> slot.untilMicros));

    /** The last reservation that this process has made. */
    private @Nullable Reservation last;

    /** Up to where slots were taken, as last seen; unknown at first. */
    private @Nullable Long nextMicros;

    /** How long the last answer took. */
    private long tookMicros;

    private boolean calling;
    private boolean closed;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private int tries;
    private int denials;
    private long notBeforeNanos;
    private Time.@Nullable Timer alarm;
    private boolean returning;
    private long denied;
    private long givenBack;
    private long lapsed;

    public ReservationPermits(BudgetContext around, StoreCalls calls) {
        this.around = around;
        this.settings = around.settings();
        this.serial = around.serial();
        this.time = around.time();
        this.clock = around.clock();
        this.reach = calls.reach();
        this.calls = calls;
        this.key = ItemKeys.permits(settings.cluster());
        this.burstMicros = span(settings.usableBurst());
        this.lateMicros = Math.max(LATE_LEAST_MICROS, Math.min(LATE_MICROS, burstMicros));
        this.line = new PermitQueue(serial, around.timers(), settings.maxWait().toNanos(), this::go, this::why);
        this.alone = new LocalFallback(around);
        this.pause = new JitteredPause(50_000_000L, 5_000_000_000L, around.random());
        reach.listen(this::go);
    }

    /** How much of the clock's time so many slots take up, rounded up. */
    private long span(int n) {
        return (long) Math.ceil(n * 1e6 / settings.ratePerSecond());
    }

    @Override
    public CompletionStage<Permit> acquire(Urgency urgency) {
        return line.join(urgency);
    }

    @Override
    public double ratePerSecond() {
        return around.fairRate();
    }

    @Override
    public String describe() {
        StringBuilder text = new StringBuilder();
        serial.enter(() -> text.append("cluster's connection rate ")
                .append(Text.perSecond(settings.ratePerSecond()))
                .append(", burst ")
                .append(settings.burst())
                .append(", ")
                .append(why()));
        return text.toString();
    }

    private String why() {
        if (reach.isAway()) {
            return "the cluster budget does not answer (" + reach.why() + ")";
        }
        Long next = nextMicros;
        if (next == null) {
            return "next free slot not known yet";
        }
        long ahead = Math.max(0, next - clock.leastMicros());
        return "next free slot in " + Text.nanos(ahead * 1_000)
                + (ahead > 6 * HORIZON_MICROS ? ", further than any process may reserve: see cluster repair" : "");
    }

    @Override
    public BudgetStats.Permits stats() {
        return line.stats(denied, givenBack, lapsed);
    }

    @Override
    public CompletionStage<Void> close() {
        closed = true;
        line.close();
        giveBack();
        go();
        if (!calling) {
            called();
        }
        return ended;
    }

    /** Looks at everything and does what is to be done now. */
    private void go() {
        dropLate();
        long now = clock.leastMicros();
        Slot first;
        while (line.size() > 0 && (first = slots.peek()) != null && first.dueMicros <= now) {
            slots.remove();
            line.serve(first);
        }
        long wait = alone.serve(line, reach.goesOnAlone(), Long.MAX_VALUE);
        if (slots.peek() != null && line.size() > 0) {
            wait = Math.min(wait, (slots.peek().dueMicros - now) * 1_000);
        }
        if (wanted() > 0 && !calling && !closed) {
            long pauseLeft = notBeforeNanos - time.nanos();
            if (pauseLeft <= 0) {
                calling = true;
                time.schedule(GATHER_NANOS, () -> serial.enter(this::ask));
            } else {
                wait = Math.min(wait, pauseLeft);
            }
        } else if (slots.size() > line.size() && !returning) {
            returning = true;
            time.schedule(
                    SURE_NANOS,
                    () -> serial.enter(() -> {
                        returning = false;
                        giveBack();
                    }));
        }
        setAlarm(wait);
    }

    private void setAlarm(long waitNanos) {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
        if (waitNanos < Long.MAX_VALUE && line.size() > 0) {
            alarm = time.schedule(Math.max(1, waitNanos), () -> serial.enter(this::go));
        }
    }

    private void dropLate() {
        long now = clock.leastIfSleptMicros();
        Slot first;
        while ((first = slots.peek()) != null && now > first.untilMicros) {
            slots.remove();
            lapsed++;
        }
    }

    /**
     * How many slots to ask for now: those that are needed, but no more in hand than this process's part of all within half of the
     * horizon, lest the first to come leave nothing to the others for long. For a few only when half of the part is used up.
     */
    private int wanted() {
        int needed = line.size() - slots.size();
        int members = around.members();
        double fair = settings.ratePerSecond() * HORIZON_MICROS / SECOND_MICROS / 2 / Math.max(1, members);
        int part = members == 0 ? PART_UNKNOWN : (int) Math.max(PART_LEAST, fair);
        int room = part - slots.size();
        return room >= Math.min(needed, (part + 1) / 2) ? Math.min(needed, room) : 0;
    }

    private void ask() {
        int needed = wanted();
        if (needed <= 0 || closed) {
            called();
            go();
        } else if (nextMicros == null || !clock.isKnown()) {
            calls.send(store -> store.read(List.of(key), true), (answer, error, sent) -> {
                tookMicros = (time.nanos() - sent) / 1_000;
                read(answer, error);
            });
        } else {
            reserve(needed, nextMicros);
        }
    }

    private void read(@Nullable Answer answer, @Nullable StoreException error) {
        if (answer == null) {
            failed(error);
            return;
        }
        nextMicros = nextOf(answer.item());
        ask();
    }

    private static long nextOf(@Nullable Item item) {
        return item == null ? 0 : item.number(ItemKeys.NEXT, 0);
    }

    /** Moves the bucket forward, if it is as it was last seen to be: behind the floor, or between that and the horizon. */
    private void reserve(int needed, long seenMicros) {
        int urgent = line.urgent() - slots.size();
        boolean patient = urgent <= 0 && line.waitedNanos() < PATIENCE_NANOS;
        long now = clock.leastMicros();
        long horizon = now + (patient ? HORIZON_OF_OTHERS_MICROS : HORIZON_MICROS);
        boolean forOne = seenMicros > horizon && slots.isEmpty() && !patient;
        if (forOne) {
            horizon = now + settings.maxWait().toNanos() / 1_000;
        }
        if (seenMicros > horizon) {
            putOff(seenMicros, horizon, patient);
            return;
        }
        boolean forAll = urgent <= 0 || seenMicros <= now + HORIZON_OF_OTHERS_MICROS;
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
     * Behind which slots are lost, because the bucket is full; and those are that will be by the time the answer is there. For those
     * who have found that others ask as well it moves in steps, longer than it takes to ask twice: else, each at a floor of its own,
     * they would in turn find the bucket behind theirs.
     */
    private long floorMicros() {
        long took = Math.min(TOOK_MOST_MICROS, tookMicros);
        long floor = clock.mostMicros() - burstMicros + took + took / 4;
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
        nextMicros = nextOf(item);
        if (answer.applied() && item != null) {
            tries = 0;
            denials = 0;
            called();
            long start = nextMicros - span(n);
            long untilLeast = clock.leastMicros() + LATE_LEAST_MICROS;
            Reservation reservation = new Reservation(start, n, item.number(ItemKeys.SEQUENCE, 0));
            last = reservation;
            for (int k = 1; k <= n; k++) {
                long due = start + span(k);
                // Those of the burst were due long ago, and were to be had only now. If the answer took long, the
                // first of them lie further back than a whole burst by now: the bucket has run over, and they are lost.
                long burstOver = due + burstMicros - span(1);
                long until = Math.max(due + lateMicros, Math.min(untilLeast, burstOver));
                slots.add(new Slot(due, until, reservation, k));
            }
            go();
        } else if (++tries < TRIES) {
            // Others have written since it was last seen. Each time that happens one of them got what it wanted.
            ask();
        } else {
            tries = 0;
            later(pause.next());
        }
    }

    /**
     * Nothing to be had within the horizon. Waits until the line is shorter, and longer if that was not long enough; but among few
     * not until the line is over, lest slots pass that nobody has asked for.
     */
    private void putOff(long seenMicros, long horizonMicros, boolean patient) {
        tries = 0;
        denied++;
        denials = Math.min(denials + 1, 4);
        long ahead = horizonMicros - clock.leastMicros();
        if (seenMicros - horizonMicros > 2 * HORIZON_MICROS) {
            // Nobody reserves that far by a clock that is right. It may be mended any time, so it is read again.
            nextMicros = null;
            later(HORIZON_MICROS * 1_000);
            return;
        }
        int spread = Math.min(denials, 1 + around.members() / FEW);
        double jitter = (0.25 + around.random().nextDouble() / 2) * ahead * spread;
        long wait = (seenMicros - horizonMicros + (long) jitter) * 1_000;
        later(patient ? Math.min(wait, PATIENCE_NANOS - line.waitedNanos()) : wait);
    }

    private void failed(@Nullable StoreException error) {
        if (error != null && error.kind().mayBeDone()) {
            // Slots may have been taken that nobody will use. They lapse.
            nextMicros = null;
        }
        tries = 0;
        later(pause.next());
    }

    /** No call is under way any more. */
    private void called() {
        calling = false;
        if (closed) {
            serial.later(() -> ended.complete(null));
        }
    }

    private void later(long nanos) {
        called();
        notBeforeNanos = time.nanos() + nanos;
        go();
    }

    /** Gives the last slots of the last reservation back that are not needed, if no other was made after it. */
    private void giveBack() {
        dropLate();
        Reservation from = last;
        int surplus = slots.size() - line.size();
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
        // From here on nobody uses them, whatever becomes of the write: they may be another's.
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
                nextMicros = nextOf(answer.item());
            } else {
                last = null;
                if (answer != null) {
                    nextMicros = nextOf(answer.item());
                    slots.addAll(tail);
                } else {
                    nextMicros = null;
                    lapsed += tail.size();
                }
            }
            go();
        });
    }

    /** Slots that were taken by one write. */
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

    /** One slot: the permit to open one connection once it is due. */
    public final class Slot implements Permit {
        /** From when on it may be used, on the store's clock. */
        public final long dueMicros;

        /** Until when it may be used. */
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
