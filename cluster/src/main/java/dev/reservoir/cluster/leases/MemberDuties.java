package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.membership.MemberHoldings;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.Map;

/**
 * What every member does, in any mode and also if it shares permits only: it takes back the leases of dead members, and
 * returns unclaimed leases that members left behind. Holds nothing itself.
 */
public class MemberDuties extends BudgetPart implements MemberHoldings {
    final CounterWrites counterWrites;
    final UnclaimedLeases unclaimedLeases;

    public MemberDuties(BudgetContext context, StoreCalls calls) {
        super(context);
        this.counterWrites = new CounterWrites(context);
        this.unclaimedLeases = new UnclaimedLeases(context, calls, this::returned);
    }

    /** Notes that this process has returned this many unclaimed leases. */
    void returned(long leases) {}

    @Override
    public final Move takingBack(String id, Item dead) {
        return counterWrites.takeBack(id, dead);
    }

    @Override
    public final boolean notTakenBack(List<Write> writes, Answer answer) {
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
}
