package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.JitteredPause;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * This process's place among the members: its own item, which it alone writes, one write at a time, each under the condition
 * that nothing has changed since the last (the beat). So a write whose answer was lost is settled by reading the item, and a
 * write that arrives late does nothing. Only others that take it for dead delete the item; then the process joins again as
 * a new member. Guarded by the desk.
 */
public final class Membership {
    /** How often a transaction whose answer was lost is sent again under the same token. */
    private static final int SENDS = 3;

    /** When the item is written again in a small fleet, counted in lease times. */
    private static final double RENEWAL = 1 / 7.5;

    /** The same in a large fleet. Less than {@link #SURE}, so that there is time for a few tries. */
    private static final double RENEWAL_IN_A_LARGE_FLEET = 0.4;

    /** The same while somebody who is watched is overdue: so it is seen whether the store takes writes. */
    private static final double RENEWAL_OF_A_WITNESS = 0.06;

    /** For how much of a lease time after a write was throttled a witness does not write more often than others do. */
    private static final double SPARING = 0.1;

    /** Between two writes no longer than this, counted in lease times, no outage of writes is overlooked that matters. */
    private static final double STEADY = 0.09;

    /** For how much of the lease time after it was last written the item is surely not deleted. */
    private static final double SURE = 0.55;

    /** The longest pause between two tries of a write, counted in lease times. A few of them fit between being late and dead. */
    private static final double PAUSE_MOST = 0.04;

    /** Longest pause between two tries of a process that leaves: it has not much time. */
    private static final long LEAVING_PAUSE_NANOS = 250_000_000L;

    private final BudgetContext around;
    private final ClusterSettings settings;
    private final SerialExecutor serial;
    private final Time time;
    private final StoreClock clock;
    private final StoreCalls calls;
    private final RandomGenerator random;
    private final JitteredPause pause;

    /** The same for changes that met others at an item: that is over in a moment. */
    private final JitteredPause yielding;

    private @Nullable MemberHoldings holding;
    private State state = State.OUT;
    private String id = "";

    /** Whether it is known that this process has been a member by this id. */
    private boolean wasIn;

    private long beat;
    private boolean busy;
    private boolean leaving;

    /** Until when a process that leaves tries to tell the others. */
    private long leaveByNanos;

    /** How often in a row what comes before leaving was refused. */
    private int refusedLeaving;

    private long sureUntilNanos;

    /** Since when it has been sure without a break, as of the last write. */
    private long sureSinceNanos;

    /** Whether a write under this id was done, as far as is known. */
    private boolean hasWritten;

    /** When the last one was sent. */
    private long wroteNanos;

    /** Since when writes have been done at short intervals, as of the last one. */
    private long steadySinceNanos;

    private boolean witness;

    /** Until when it writes no more often than usual, since a store that throttles has enough to do. */
    private long sparingUntilNanos;

    private long renewAtNanos;
    private long notBeforeNanos;
    private long declaredDead;
    private Time.@Nullable Timer alarm;
    private final CompletableFuture<Boolean> left = new CompletableFuture<>();

    private enum State {
        /** No member. */
        OUT,
        /** A member, as far as is known. */
        IN,
        /** What became of the last write is not known. */
        UNSURE,
        /** Gone for good. */
        LEFT
    }

    public Membership(BudgetContext around, StoreCalls calls) {
        this.around = around;
        this.settings = around.settings();
        this.serial = around.serial();
        this.time = around.time();
        this.clock = around.clock();
        this.random = around.random();
        this.calls = calls;
        long most = (long) (PAUSE_MOST * settings.leaseTime().toNanos());
        this.sparingUntilNanos = time.nanos();
        this.yielding = new JitteredPause(Math.min(25_000_000L, most), Math.min(400_000_000L, most), random);
        this.pause = new JitteredPause(Math.min(50_000_000L, most), Math.min(5_000_000_000L, most), random);
    }

    public void start(MemberHoldings what) {
        holding = what;
        go();
    }

    private MemberHoldings holding() {
        MemberHoldings what = holding;
        if (what == null) {
            throw new IllegalStateException("bug: the seat has not been started");
        }
        return what;
    }

    /** By what id this process is a member; empty if it is none. */
    public String id() {
        return state == State.OUT ? "" : id;
    }

    /** Whether this process is a member and nobody can have taken it for dead yet. */
    public boolean isSure() {
        return state == State.IN && time.nanos() < sureUntilNanos;
    }

    /**
     * Since when this process has been sure without a break; the present if it is not. What others did not do before that says
     * nothing about them: whatever kept this process from writing may have kept them from it, too.
     */
    long sureSinceNanos() {
        return isSure() ? sureSinceNanos : time.nanos();
    }

    /** For how long writes of this process have been done at short intervals, up to now; 0 if they are not. */
    long steadyNanos() {
        long now = time.nanos();
        boolean steady = isSure()
                && hasWritten
                && now - wroteNanos <= STEADY * settings.leaseTime().toNanos();
        return steady ? now - steadySinceNanos : 0;
    }

    /** Whether to write at short intervals from now on, to find out whether the store takes writes at all. */
    void witness(boolean now) {
        if (now && !witness) {
            renewAtNanos = Math.min(renewAtNanos, renewalOfAWitness());
            serial.later(() -> serial.enter(this::go));
        }
        witness = now;
    }

    public long declaredDead() {
        return declaredDead;
    }

    /** Starts to leave; answers true when the item is gone, and false when the time for that is over. */
    public CompletableFuture<Boolean> leave() {
        if (!leaving) {
            leaving = true;
            leaveByNanos = time.nanos() + ClusterBudget.CLOSE_NANOS;
        }
        notBeforeNanos = time.nanos();
        go();
        return left;
    }

    /** Does what is to be done next, if nothing is under way. */
    public void go() {
        if (!busy && state != State.LEFT && holding != null) {
            next();
        }
        setAlarm();
    }

    private void next() {
        long now = time.nanos();
        if (now < notBeforeNanos) {
            return;
        }
        switch (state) {
            case OUT -> {
                if (leaving) {
                    gone(true);
                } else {
                    join();
                }
            }
            case UNSURE -> settle();
            case IN -> {
                if (leaving) {
                    MemberHoldings.Move first =
                            refusedLeaving > SENDS ? null : holding().beforeLeaving();
                    if (first == null) {
                        depart();
                    } else {
                        change(first);
                    }
                    return;
                }
                boolean due = now >= renewAtNanos;
                // A change that does not succeed must not keep the member from showing that it lives.
                MemberHoldings.Move move = due && pause.failures() + yielding.failures() > 0
                        ? null
                        : holding().wanted();
                if (move != null) {
                    change(move);
                } else if (due) {
                    renew();
                }
            }
            case LEFT -> {}
        }
    }

    private void setAlarm() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
        if (!busy && state != State.LEFT && holding != null) {
            long now = time.nanos();
            boolean idle = state == State.IN && !leaving && notBeforeNanos <= now;
            long at = idle ? renewAtNanos : notBeforeNanos;
            alarm = time.schedule(Math.max(1, at - now), () -> serial.enter(this::go));
        }
    }

    private String key() {
        return ItemKeys.member(settings.cluster(), id);
    }

    private void join() {
        id = around.newId();
        wasIn = false;
        MemberHoldings.Move move = holding().joining();
        long nowMillis = clock.millis();
        List<Change> own = new ArrayList<>(List.of(
                Change.set(ItemKeys.BEAT, 1),
                Change.set(ItemKeys.SERVICE, settings.serviceName()),
                Change.set(ItemKeys.HOST, settings.host()),
                Change.set(ItemKeys.LEASE_MILLIS, settings.leaseTime().toMillis()),
                Change.set(ItemKeys.JOINED, nowMillis),
                Change.set(ItemKeys.RENEWED, nowMillis)));
        own.addAll(move.own());
        List<Write> writes = new ArrayList<>();
        writes.add(Write.put(key(), own, Condition.absent(ItemKeys.BEAT)));
        writes.add(Write.update(
                ItemKeys.membersWith(settings.cluster(), id), List.of(Change.include(ItemKeys.IDS, Set.of(id)))));
        writes.addAll(move.others());
        transact(writes, new Then() {
            @Override
            public void applied(long sentNanos) {
                state = State.IN;
                wasIn = true;
                beat = 1;
                renewed(sentNanos);
                holding().joined(move);
            }

            @Override
            public void refused(Answer answer) {
                holding().refused(move, shifted(answer, 2));
            }

            @Override
            public void unsure() {
                state = State.UNSURE;
            }
        });
    }

    private void change(MemberHoldings.Move move) {
        List<Write> writes = new ArrayList<>();
        writes.add(Write.update(key(), stamped(move.own()), Condition.equal(ItemKeys.BEAT, beat)));
        writes.addAll(move.others());
        transact(writes, new Then() {
            @Override
            public void applied(long sentNanos) {
                beat++;
                refusedLeaving = 0;
                renewed(sentNanos);
                holding().moved(move);
            }

            @Override
            public void refused(Answer answer) {
                refusedLeaving += leaving ? 1 : 0;
                if (answer.refused().contains(0)) {
                    outOfStep(answer.item());
                } else {
                    holding().refused(move, shifted(answer, 1));
                }
            }

            @Override
            public void unsure() {
                state = State.UNSURE;
            }
        });
    }

    private List<Change> stamped(List<Change> changes) {
        List<Change> all =
                new ArrayList<>(List.of(Change.add(ItemKeys.BEAT, 1), Change.set(ItemKeys.RENEWED, clock.millis())));
        all.addAll(changes);
        return all;
    }

    /** The answer without the first places, which are the seat's own. */
    private static Answer shifted(Answer answer, int by) {
        List<@Nullable Item> items = new ArrayList<>(answer.items());
        return new Answer(
                false,
                items.subList(Math.min(by, items.size()), items.size()),
                answer.refused().stream().filter(i -> i >= by).map(i -> i - by).toList(),
                answer.storeSeconds());
    }

    private void renew() {
        busy = true;
        Write write = Write.update(key(), stamped(holding().along()), Condition.equal(ItemKeys.BEAT, beat));
        calls.send(store -> store.write(write), (answer, error, sent) -> {
            busy = false;
            if (answer != null && answer.applied()) {
                beat++;
                renewed(sent);
                holding().renewed();
            } else if (answer != null) {
                outOfStep(answer.item());
            } else {
                failed(error, false);
            }
            go();
        });
    }

    private void depart() {
        List<Write> writes = new ArrayList<>();
        writes.add(Write.delete(key(), Condition.equal(ItemKeys.BEAT, beat)));
        String shard = ItemKeys.membersWith(settings.cluster(), id);
        List<Change> outOfTheSet = new ArrayList<>(List.of(Change.exclude(ItemKeys.IDS, Set.of(id))));
        for (Write write : holding().leaving()) {
            if (write.key().equals(shard)) {
                outOfTheSet.addAll(write.changes());
            } else {
                writes.add(write);
            }
        }
        writes.add(Write.update(shard, outOfTheSet));
        transact(writes, new Then() {
            @Override
            public void applied(long sentNanos) {
                gone(true);
            }

            @Override
            public void refused(Answer answer) {
                if (answer.refused().contains(0) && answer.item() != null) {
                    outOfStep(answer.item());
                } else {
                    gone(answer.refused().contains(0));
                }
            }

            @Override
            public void unsure() {
                state = State.UNSURE;
            }
        });
    }

    private void gone(boolean itemIsGone) {
        state = State.LEFT;
        serial.later(() -> left.complete(itemIsGone));
    }

    private void settle() {
        busy = true;
        String key = key();
        calls.send(store -> store.read(List.of(key), true), (answer, error, sent) -> {
            busy = false;
            if (answer != null) {
                outOfStep(answer.item());
            } else {
                failed(error, false);
            }
            go();
        });
    }

    /** The item is the truth: its beat goes on, or it is gone and so is the membership. */
    private void outOfStep(@Nullable Item own) {
        pause.reset();
        yielding.reset();
        if (own != null) {
            state = State.IN;
            wasIn = true;
            beat = own.number(ItemKeys.BEAT, 0);
            // When it was written is not known, and a write that was thought lost may still arrive. Nothing is
            // sure until it is written again.
            sureUntilNanos = time.nanos();
            renewAtNanos = time.nanos();
            holding().adopt(own);
            return;
        }
        if (leaving) {
            gone(true);
            return;
        }
        state = State.OUT;
        hasWritten = false;
        if (wasIn) {
            declaredDead++;
            settings.log()
                    .warn(
                            "Reservoir: taken for dead by the others, joining again  endpoint={} member={}",
                            settings.cluster(),
                            id);
        }
        // If joining was not done yet and still comes, the item is nobody's and is taken back as that of a dead member.
        holding().lost();
    }

    private void renewed(long sentNanos) {
        pause.reset();
        yielding.reset();
        double lease = settings.leaseTime().toNanos();
        long now = time.nanos();
        if (!hasWritten || sentNanos - wroteNanos > SURE * lease) {
            sureSinceNanos = now;
        }
        if (!hasWritten || sentNanos - wroteNanos > STEADY * lease) {
            steadySinceNanos = now;
        }
        hasWritten = true;
        wroteNanos = sentNanos;
        sureUntilNanos = sentNanos + (long) (SURE * lease);
        double usual = RENEWAL + around.largeness() * (RENEWAL_IN_A_LARGE_FLEET - RENEWAL);
        renewAtNanos = sentNanos + renewalNanos(usual);
        if (witness) {
            renewAtNanos = Math.min(renewAtNanos, renewalOfAWitness());
        }
    }

    private long renewalOfAWitness() {
        return Math.max(wroteNanos, sparingUntilNanos) + renewalNanos(RENEWAL_OF_A_WITNESS);
    }

    private long renewalNanos(double leases) {
        return (long) (leases * settings.leaseTime().toNanos() * (0.9 + random.nextDouble() / 10));
    }

    /** What becomes of a transaction. */
    private interface Then {
        void applied(long sentNanos);

        void refused(Answer answer);

        void unsure();
    }

    private void transact(List<Write> writes, Then then) {
        busy = true;
        String token = around.newLongId();
        send(writes, token, new Sent(1, -1, false), then);
    }

    /**
     * How often a transaction was sent before.
     *
     * @param firstNanos when it was first sent; -1 if this is the first time
     * @param maybeDone whether it may have been done by one whose answer was lost, whatever becomes of the next
     */
    private record Sent(int times, long firstNanos, boolean maybeDone) {}

    private void send(List<Write> writes, String token, Sent before, Then then) {
        calls.send(store -> store.transact(writes, token), (answer, error, sentNanos) -> {
            long first = before.firstNanos < 0 ? sentNanos : before.firstNanos;
            if (answer != null) {
                busy = false;
                pause.reset();
                yielding.reset();
                if (answer.applied()) {
                    then.applied(first);
                } else {
                    then.refused(answer);
                }
                go();
                return;
            }
            boolean lost = error != null && error.kind().mayBeDone();
            if (error != null && (error.kind() == Kind.CONFLICT || error.kind() == Kind.THROTTLED)) {
                holding().contended();
            }
            if (lost && before.times < SENDS && !leaving) {
                send(writes, token, new Sent(before.times + 1, first, true), then);
                return;
            }
            busy = false;
            boolean maybeDone = lost || before.maybeDone;
            if (maybeDone) {
                then.unsure();
            }
            failed(error, maybeDone);
            go();
        });
    }

    private void failed(@Nullable StoreException error, boolean maybeDone) {
        if ((maybeDone || (error != null && error.kind().mayBeDone())) && state == State.IN) {
            state = State.UNSURE;
        }
        long now = time.nanos();
        boolean met = error != null && error.kind() == Kind.CONFLICT;
        long wait = (met ? yielding : pause).next();
        notBeforeNanos = now + (leaving ? Math.min(wait, LEAVING_PAUSE_NANOS) : wait);
        if (error != null && error.kind() == Kind.THROTTLED) {
            sparingUntilNanos = now + (long) (SPARING * settings.leaseTime().toNanos());
        }
        if (leaving && notBeforeNanos - leaveByNanos >= 0) {
            // Whoever could not leave in time is taken back by the others.
            gone(false);
        }
    }
}
