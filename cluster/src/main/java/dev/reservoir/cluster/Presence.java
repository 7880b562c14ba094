package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The holding of a member that shares permits only: nothing. It is there to be counted. */
final class Presence implements Holding {
    /** Members who hold more than it does die, too. */
    private final CounterBooks books;

    private final LeftInShards left;

    Presence(Surroundings around, Calls calls) {
        this.books = new CounterBooks(around.settings(), around.clock());
        this.left = new LeftInShards(around, calls, leases -> {});
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
    public List<Change> along() {
        return List.of();
    }

    @Override
    public List<Write> leaving() {
        return List.of();
    }

    @Override
    public Move takingBack(String id, Item dead) {
        return books.takeBack(id, dead);
    }

    @Override
    public boolean notTakenBack(List<Write> writes, Answer answer) {
        return books.learn(writes, answer);
    }

    @Override
    public void tookBack(Item dead) {
        books.ended();
    }

    @Override
    public void lyingInShards(long own, Map<String, Long> inCharge) {
        left.looked(inCharge, false);
    }

    @Override
    public List<String> watched() {
        return List.of();
    }

    @Override
    public void looked(List<@Nullable Item> items) {}
}
