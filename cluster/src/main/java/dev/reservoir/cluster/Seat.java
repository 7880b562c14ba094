package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.StoreException;
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
final class Seat {
    /** How often a transaction whose answer was lost is sent again under the same token. */
    private static final int SENDS = 3;

    /** When the item is written again, counted in lease times. */
    private static final double RENEWAL = 1 / 7.5;

    /** For how much of the lease time after it was last written the item is surely not deleted. */
    private static final double SURE = 0.45;

    private final Surroundings around;
    private final ClusterSettings settings;
    private final Desk desk;
    private final Time time;
    private final StoreClock clock;
    private final Calls calls;
    private final RandomGenerator random;
    private final Pause pause;
    private @Nullable Holding holding;
    private State state = State.OUT;
    private String id = "";

    /** Whether it is known that this process has been a member by this id. */
    private boolean wasIn;

    private long beat;
    private boolean busy;
    private boolean leaving;

    /** How often in a row what comes before leaving was refused. */
    private int refusedLeaving;

    private long sureUntilNanos;
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

    Seat(Surroundings around, Calls calls) {
        this.around = around;
        this.settings = around.settings();
        this.desk = around.desk();
        this.time = around.time();
        this.clock = around.clock();
        this.random = around.random();
        this.calls = calls;
        this.pause = new Pause(50_000_000L, 5_000_000_000L, random);
    }

    void start(Holding what) {
        holding = what;
        go();
    }

    private Holding holding() {
        Holding what = holding;
        if (what == null) {
            throw new IllegalStateException("bug: the seat has not been started");
        }
        return what;
    }

    /** By what id this process is a member; empty if it is none. */
    String id() {
        return state == State.OUT ? "" : id;
    }

    /** Whether this process is a member and nobody can have taken it for dead yet. */
    boolean isSure() {
        return state == State.IN && time.nanos() < sureUntilNanos;
    }

    long declaredDead() {
        return declaredDead;
    }

    /** Starts to leave; answers true when the item is gone, and false when that has been tried often enough. */
    CompletableFuture<Boolean> leave() {
        leaving = true;
        notBeforeNanos = time.nanos();
        go();
        return left;
    }

    /** Does what is to be done next, if nothing is under way. */
    void go() {
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
                    Holding.Move first =
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
                Holding.Move move =
                        due && pause.failures() > 0 ? null : holding().wanted();
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
            alarm = time.schedule(Math.max(1, at - now), () -> desk.enter(this::go));
        }
    }

    private String key() {
        return Items.member(settings.cluster(), id);
    }

    private void join() {
        id = around.newId();
        wasIn = false;
        Holding.Move move = holding().joining();
        long nowMillis = clock.millis();
        List<Change> own = new ArrayList<>(List.of(
                Change.set(Items.BEAT, 1),
                Change.set(Items.SERVICE, settings.serviceName()),
                Change.set(Items.HOST, settings.host()),
                Change.set(Items.LEASE_MILLIS, settings.leaseTime().toMillis()),
                Change.set(Items.JOINED, nowMillis),
                Change.set(Items.RENEWED, nowMillis)));
        own.addAll(move.own());
        List<Write> writes = new ArrayList<>();
        writes.add(Write.put(key(), own, Condition.absent(Items.BEAT)));
        writes.add(Write.update(Items.members(settings.cluster()), List.of(Change.include(Items.IDS, Set.of(id)))));
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

    private void change(Holding.Move move) {
        List<Write> writes = new ArrayList<>();
        writes.add(Write.update(key(), stamped(move.own()), Condition.equal(Items.BEAT, beat)));
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
                new ArrayList<>(List.of(Change.add(Items.BEAT, 1), Change.set(Items.RENEWED, clock.millis())));
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
        Write write = Write.update(key(), stamped(holding().along()), Condition.equal(Items.BEAT, beat));
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
        writes.add(Write.delete(key(), Condition.equal(Items.BEAT, beat)));
        writes.add(Write.update(Items.members(settings.cluster()), List.of(Change.exclude(Items.IDS, Set.of(id)))));
        writes.addAll(holding().leaving());
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
                // Whoever is not sure of having left is taken back by the others.
                gone(false);
            }
        });
    }

    private void gone(boolean itemIsGone) {
        state = State.LEFT;
        desk.later(() -> left.complete(itemIsGone));
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
        if (own != null) {
            state = State.IN;
            wasIn = true;
            beat = own.number(Items.BEAT, 0);
            // When it was written is not known, and a write that was thought lost may still arrive. Nothing is
            // sure until it is written again.
            sureUntilNanos = time.nanos();
            renewAtNanos = time.nanos();
            holding().adopt(own);
            return;
        }
        state = State.OUT;
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
        double lease = settings.leaseTime().toNanos();
        sureUntilNanos = sentNanos + (long) (SURE * lease);
        renewAtNanos = sentNanos + (long) (RENEWAL * lease * (0.9 + random.nextDouble() / 5));
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
                if (answer.applied()) {
                    then.applied(first);
                } else {
                    then.refused(answer);
                }
                go();
                return;
            }
            boolean lost = error != null && error.kind().mayBeDone();
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
        notBeforeNanos = time.nanos() + pause.next();
        if (leaving && pause.failures() > SENDS) {
            gone(false);
        }
    }
}
