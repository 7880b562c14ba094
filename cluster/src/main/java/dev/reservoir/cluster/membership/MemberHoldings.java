package dev.reservoir.cluster.membership;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a member holds of the cluster's budget, and so what its {@link Membership} writes along. Called at the desk. */
public interface MemberHoldings {

    /**
     * What is written together: to the member's own item, and to others.
     *
     * @param own changes of the member's item
     * @param others writes of other items, in the same transaction
     */
    public record Move(List<Change> own, List<Write> others) {
        public static final Move NOTHING = new Move(List.of(), List.of());
    }

    /** What to join with. Asked again after a refusal. */
    Move joining();

    /** This process is a member now, with what it joined with. */
    void joined(Move move);

    /** What is to be changed next, or null if nothing is. */
    @Nullable
    Move wanted();

    /** A change was made. */
    void moved(Move move);

    /**
     * A change, or joining, was refused because of other items than the member's own.
     *
     * @param answer its items and places are those of {@link Move#others}, in their order
     */
    void refused(Move move, Answer answer);

    /** A change, joining or leaving was not done because others write the same items. It is tried again after a pause. */
    default void contended() {}

    /** The member's item is as it is found here, not as it was thought to be. */
    void adopt(Item own);

    /** Others have taken this process for dead and taken back what it held. */
    void lost();

    /** What to write along when the member shows that it lives. */
    List<Change> along();

    /** The member has shown that it lives, and so is sure of what it holds. */
    default void renewed() {}

    /** What is to be changed before the member can leave, or null if it can. */
    default @Nullable Move beforeLeaving() {
        return null;
    }

    /** What is written to other items when the member leaves. */
    List<Write> leaving();

    /** What is written when a dead member is deleted; {@link Move#own} is not empty if it cannot be deleted yet. */
    Move takingBack(String id, Item dead);

    /**
     * Taking back was refused.
     *
     * @param writes all of that transaction, in the order of the answer's places
     * @return whether something was learnt that lets another try do better
     */
    default boolean notTakenBack(List<Write> writes, Answer answer) {
        return false;
    }

    /** What was taken back is done. */
    void tookBack(Item dead);

    /** Items that are to be looked at regularly, beside the members'. */
    List<String> watched();

    /**
     * The shards of members were read.
     *
     * @param own how many leases lie in the shard of this member
     * @param inCharge how many lie in each of the shards that are in its charge, by the key of the item
     */
    void lyingInShards(long own, Map<String, Long> inCharge);

    /** They were looked at. */
    void looked(List<@Nullable Item> items);
}
