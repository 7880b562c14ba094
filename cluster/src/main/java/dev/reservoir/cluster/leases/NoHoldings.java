package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.membership.MemberHoldings;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The holdings of a member that shares permits only: none. The member takes part so that it is counted. */
public final class NoHoldings implements MemberHoldings {
    /** Takes back the leases of dead members in other modes. */
    private final CounterWrites counterWrites;

    private final UnclaimedLeases unclaimedLeases;

    public NoHoldings(BudgetContext context, StoreCalls calls) {
        this.counterWrites = new CounterWrites(context.settings(), context.clock());
        this.unclaimedLeases = new UnclaimedLeases(context, calls, leases -> {});
    }

    @Override
    public Move joining() {
        return Move.NOTHING;
    }

    @Override
    public void joined(Move move) {}

    @Override
    public @Nullable Move wanted() {
        return null;
    }

    @Override
    public void moved(Move move) {}

    @Override
    public void refused(Move move, Answer answer) {}

    @Override
    public void adopt(Item own) {}

    @Override
    public void lost() {}

    @Override
    public List<Change> withHeartbeat() {
        return List.of();
    }

    @Override
    public List<Write> leaving() {
        return List.of();
    }

    @Override
    public Move takingBack(String id, Item dead) {
        return counterWrites.takeBack(id, dead);
    }

    @Override
    public boolean notTakenBack(List<Write> writes, Answer answer) {
        return counterWrites.learn(writes, answer);
    }

    @Override
    public void tookBack(Item dead) {
        counterWrites.ended();
    }

    @Override
    public void shardsRead(long own, Map<String, Long> inCharge) {
        unclaimedLeases.shardsRead(inCharge, false);
    }

    @Override
    public List<String> watched() {
        return List.of();
    }

    @Override
    public void watchedRead(List<@Nullable Item> items) {}
}
