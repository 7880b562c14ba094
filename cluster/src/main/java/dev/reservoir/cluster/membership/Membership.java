package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.membership.MemberHoldings.Move;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.JitteredPause;
import dev.reservoir.cluster.protocol.StoreCalls;
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
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The membership of this process in the fleet. It owns one item, the member's item. Only this process writes it, one
 * write at a time, and each write requires that the item has not changed since the last one (the heartbeat counter). If
 * the answer to a write is lost, the process reads the item to find out what happened. A write that arrives late has no
 * effect. Other processes change or delete the item only if they take this process for dead. If the item is gone, the
 * process joins again as a new member. Used only on the budget's serial executor. Never blocks.
 */
public final class Membership extends BudgetPart {
    /**
     * How often a transaction is sent under the same token if its answers are lost. After more refusals in a row than
     * this, a leaving process skips the changes before leaving.
     */
    private static final int SENDS = 3;

    /** Longest pause between two attempts of a write, in lease times. A few attempts fit between overdue and dead. */
    private static final double PAUSE_MAX = 0.04;

    private final StoreCalls calls;
    private final HeartbeatTimes times;
    private final JitteredPause pause;

    /** The pause after a conflict with other processes at an item. It is shorter, because that is soon over. */
    private final JitteredPause conflictPause;

    private @Nullable MemberHoldings holding;
    private State state = State.OUT;
    private String id = "";

    /** Whether it is certain that this process was a member under this id. */
    private boolean wasIn;

    private long beat;
    private boolean busy;
    private boolean leaving;

    /** Until when a leaving process tries to delete its item. */
    private long leaveByNanos;

    /** How often in a row the changes before leaving were refused. */
    private int refusedLeaving;

    private long notBeforeNanos;
    private long declaredDead;
    private Time.@Nullable Timer alarm;
    private final CompletableFuture<Boolean> left = new CompletableFuture<>();

    private enum State {
        /** The process is not a member. */
        OUT,
        /** The process is a member, as far as it knows. */
        IN,
        /** It is unknown whether the last write was applied. */
        UNSURE,
        /** The process has left for good. */
        LEFT
    }

    public Membership(BudgetContext context, StoreCalls calls) {
        super(context);
        this.calls = calls;
        this.times = new HeartbeatTimes(context);
        long max = (long) (PAUSE_MAX * settings.leaseTime().toNanos());
        this.conflictPause =
                new JitteredPause(Math.min(25_000_000L, max), Math.min(400_000_000L, max), context.random());
        this.pause = new JitteredPause(Math.min(50_000_000L, max), Math.min(5_000_000_000L, max), context.random());
    }

    public void start(MemberHoldings what) {
        holding = what;
        go();
    }

    private MemberHoldings holding() {
        MemberHoldings what = holding;
        if (what == null) {
            throw new IllegalStateException("bug: the membership has not been started");
        }
        return what;
    }

    /** Returns the id of this member; empty if this process is not a member. */
    public String id() {
        return state == State.OUT ? "" : id;
    }

    /** Whether this process is a member and no other process can have taken it for dead yet. */
    public boolean isSure() {
        return state == State.IN && times.isSure();
    }

    /**
     * Returns since when this process has been sure of its membership without a break; the present if it is not sure.
     * Silence of other members before that time says nothing about them: whatever kept this process from writing may
     * have kept them from writing, too.
     */
    long sureSinceNanos() {
        return isSure() ? times.sureSinceNanos() : time.nanos();
    }

    /** Returns how long this process's writes have been applied at short intervals, up to now; 0 if they are not. */
    long steadyNanos() {
        return isSure() ? times.steadyNanos() : 0;
    }

    /** Sets whether this process is a witness, which writes at short intervals to learn whether writes get through. */
    void witness(boolean now) {
        if (times.witness(now)) {
            serial.later(() -> serial.enter(this::go));
        }
    }

    public long declaredDead() {
        return declaredDead;
    }

    /** Starts to leave. Completes with true when the item is gone, and with false when the time for leaving is over. */
    public CompletableFuture<Boolean> leave() {
        if (!leaving) {
            leaving = true;
            leaveByNanos = time.nanos() + BudgetContext.LEAVE_NANOS;
        }
        notBeforeNanos = time.nanos();
        go();
        return left;
    }

    /** Starts the next call that is due, unless a call is under way. */
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
                    Move first = refusedLeaving > SENDS ? null : holding().beforeLeaving();
                    if (first == null) {
                        depart();
                    } else {
                        change(first);
                    }
                    return;
                }
                boolean due = now >= times.renewAtNanos();
                // A change that keeps failing must not prevent the heartbeat.
                Move move = due && pause.failures() + conflictPause.failures() > 0
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
            long at = idle ? times.renewAtNanos() : notBeforeNanos;
            alarm = after(Math.max(1, at - now), this::go);
        }
    }

    private String key() {
        return ItemKeys.member(settings.cluster(), id);
    }

    private void join() {
        id = context.newId();
        wasIn = false;
        Move move = holding().joining();
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
        writes.add(ItemKeys.list(settings.cluster(), id));
        writes.addAll(move.others());
        transact(
                writes,
                sentNanos -> {
                    state = State.IN;
                    wasIn = true;
                    beat = 1;
                    renewed(sentNanos);
                    holding().joined(move);
                },
                answer -> holding().refused(move, shifted(answer, 2)));
    }

    private void change(Move move) {
        List<Write> writes = new ArrayList<>();
        writes.add(Write.update(key(), stamped(move.own()), Condition.equal(ItemKeys.BEAT, beat)));
        writes.addAll(move.others());
        transact(
                writes,
                sentNanos -> {
                    beat++;
                    refusedLeaving = 0;
                    renewed(sentNanos);
                    holding().moved(move);
                },
                answer -> {
                    refusedLeaving += leaving ? 1 : 0;
                    if (answer.refused().contains(0)) {
                        adoptStored(answer.item());
                    } else {
                        holding().refused(move, shifted(answer, 1));
                    }
                });
    }

    private List<Change> stamped(List<Change> changes) {
        List<Change> all =
                new ArrayList<>(List.of(Change.add(ItemKeys.BEAT, 1), Change.set(ItemKeys.RENEWED, clock.millis())));
        all.addAll(changes);
        return all;
    }

    /** Returns the answer without the first entries, which belong to the membership's own writes. */
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
        Write write = Write.update(key(), stamped(holding().withHeartbeat()), Condition.equal(ItemKeys.BEAT, beat));
        calls.send(store -> store.write(write), (answer, error, sent) -> {
            if (answer == null || !answer.applied()) {
                adoptOrFail(answer, error);
                return;
            }
            busy = false;
            beat++;
            renewed(sent);
            holding().renewed();
            go();
        });
    }

    /** Ends a call that shows the item as it is in the store, or that failed. */
    private void adoptOrFail(@Nullable Answer answer, @Nullable StoreException error) {
        busy = false;
        if (answer != null) {
            adoptStored(answer.item());
        } else {
            failed(error, false);
        }
        go();
    }

    private void depart() {
        List<Write> writes = new ArrayList<>();
        writes.add(Write.delete(key(), Condition.equal(ItemKeys.BEAT, beat)));
        String shard = ItemKeys.membersWith(settings.cluster(), id);
        List<Change> unlisted = new ArrayList<>(List.of(Change.exclude(ItemKeys.IDS, Set.of(id))));
        for (Write write : holding().leaving()) {
            if (write.key().equals(shard)) {
                unlisted.addAll(write.changes());
            } else {
                writes.add(write);
            }
        }
        writes.add(Write.update(shard, unlisted));
        transact(writes, sentNanos -> gone(true), answer -> {
            if (answer.refused().contains(0) && answer.item() != null) {
                adoptStored(answer.item());
            } else {
                gone(answer.refused().contains(0));
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
        calls.send(store -> store.read(List.of(key), true), (answer, error, sent) -> adoptOrFail(answer, error));
    }

    /** Adopts the item as it is in the store. Without an item, this process is no member any more. */
    private void adoptStored(@Nullable Item own) {
        resetPauses();
        if (own != null) {
            state = State.IN;
            wasIn = true;
            beat = own.number(ItemKeys.BEAT, 0);
            times.found();
            holding().adopt(own);
            return;
        }
        if (leaving) {
            gone(true);
            return;
        }
        state = State.OUT;
        times.lost();
        if (wasIn) {
            declaredDead++;
            log.warn(
                    "Reservoir: other processes took this one for dead, joining again  endpoint={} member={}",
                    settings.cluster(),
                    id);
        }
        // If the join still arrives, nobody owns the new item. Others take it back as that of a dead member.
        holding().lost();
    }

    private void renewed(long sentNanos) {
        resetPauses();
        times.wrote(sentNanos);
    }

    private void resetPauses() {
        pause.reset();
        conflictPause.reset();
    }

    /**
     * Sends a transaction. If its answers are lost, it is unknown whether the last write was applied.
     *
     * @param applied receives the time at which the transaction was first sent
     * @param refused receives the answer if a condition did not hold
     */
    private void transact(List<Write> writes, LongConsumer applied, Consumer<Answer> refused) {
        busy = true;
        String token = context.newLongId();
        send(writes, token, new Sent(1, -1, false), applied, refused);
    }

    /**
     * The earlier attempts of a transaction.
     *
     * @param times the number of this attempt, from 1
     * @param firstNanos when the transaction was first sent; -1 if this is the first attempt
     * @param maybeDone whether an earlier attempt whose answer was lost may have been applied, whatever becomes of this
     *     one
     */
    private record Sent(int times, long firstNanos, boolean maybeDone) {}

    private void send(List<Write> writes, String token, Sent before, LongConsumer applied, Consumer<Answer> refused) {
        calls.send(store -> store.transact(writes, token), (answer, error, sentNanos) -> {
            long first = before.firstNanos < 0 ? sentNanos : before.firstNanos;
            if (answer != null) {
                busy = false;
                resetPauses();
                if (answer.applied()) {
                    applied.accept(first);
                } else {
                    refused.accept(answer);
                }
                go();
                return;
            }
            boolean lost = error != null && error.kind().mayBeDone();
            if (error != null && (error.kind() == Kind.CONFLICT || error.kind() == Kind.THROTTLED)) {
                holding().contended();
            }
            if (lost && before.times < SENDS && !leaving) {
                send(writes, token, new Sent(before.times + 1, first, true), applied, refused);
                return;
            }
            busy = false;
            boolean maybeDone = lost || before.maybeDone;
            if (maybeDone) {
                state = State.UNSURE;
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
        boolean isConflict = error != null && error.kind() == Kind.CONFLICT;
        long wait = (isConflict ? conflictPause : pause).next();
        notBeforeNanos = now + (leaving ? Math.min(wait, BudgetContext.LEAVE_PAUSE_NANOS) : wait);
        if (error != null && error.kind() == Kind.THROTTLED) {
            times.throttled();
        }
        if (leaving && notBeforeNanos - leaveByNanos >= 0) {
            // Other processes take back what a process holds that could not leave in time.
            gone(false);
        }
    }
}
