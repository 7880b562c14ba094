package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of the cluster's budget that a member holds. {@link Membership} asks it what to write together with each
 * heartbeat, and reports the result of each write to it. A member that holds nothing keeps the defaults. Called on the
 * budget's serial executor.
 */
public interface MemberHoldings {

    /** Changes that one transaction writes: to the member's own item, and to other items. */
    record Move(List<Change> own, List<Write> others) {
        static final Move NOTHING = new Move(List.of(), List.of());
    }

    /** Returns what to write when this process joins. Called again after a refusal. */
    default Move joining() {
        return Move.NOTHING;
    }

    /** This process is a member now. The given move was applied when it joined. */
    default void joined(Move move) {}

    /** Returns the next change to write, or null if there is none. */
    default @Nullable Move wanted() {
        return null;
    }

    /** The given change was applied. */
    default void moved(Move move) {}

    /**
     * The store refused a change, or a join, because of items other than the member's own.
     *
     * @param answer its items and refused indexes refer to {@link Move#others}, in the same order
     */
    default void refused(Move move, Answer answer) {}

    /** The store did not apply a change, a join or a leave, because of other writers. It is tried again. */
    default void contended() {}

    /** The member's item differs from what this process expected. The given item is the current one. */
    default void adopt(Item own) {}

    /** Other processes took this process for dead and took back what it held. */
    default void lost() {}

    /** Returns the changes to write together with a heartbeat. */
    default List<Change> withHeartbeat() {
        return List.of();
    }

    /** A heartbeat was written, so the member is sure of what it holds. */
    default void renewed() {}

    /** Returns the change to write before the member can leave, or null if it can leave now. */
    default @Nullable Move beforeLeaving() {
        return null;
    }

    /** Returns the writes to other items that belong to the transaction in which the member leaves. */
    default List<Write> leaving() {
        return List.of();
    }

    /** Returns what removes a dead member. {@link Move#own} is not empty if the member cannot be deleted yet. */
    Move takingBack(String id, Item dead);

    /**
     * The store refused to take back what a dead member held.
     *
     * @param writes all writes of that transaction; the answer's indexes refer to them
     * @return whether the holdings learned something that gives another attempt a better chance
     */
    boolean notTakenBack(List<Write> writes, Answer answer);

    /** The holdings of a dead member have been taken back, completely or in part. */
    void tookBack(Item dead);

    /** Returns the keys of further items that the failure detector reads regularly, besides those of the members. */
    default List<String> watched() {
        return List.of();
    }

    /**
     * The shards of the member list were read.
     *
     * @param own the unclaimed leases in this member's own shard
     * @param inCharge the unclaimed leases in each shard that this member is in charge of, by the key of the shard's
     *     item
     */
    void shardsRead(long own, Map<String, Long> inCharge);

    /**
     * The items named by {@link #watched} were read.
     *
     * @param items the items in the order of their keys, or null where there is none
     */
    default void watchedRead(List<@Nullable Item> items) {}
}
