package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.testkit.LogLines;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Permits in one table, leases in another, and only one of them is to be had. */
class TwoStoresTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long BEGIN_SECONDS = 1_700_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final LogLines log = new LogLines();

    @AfterEach
    void listenNoMore() {
        log.close();
    }

    private ModelStore store() {
        ModelTable table = new ModelTable(() -> BEGIN_SECONDS + time.nanos() / SECOND);
        return new ModelStore(table, time, () -> 5_000_000L, () -> false);
    }

    private ClusterBudget start(Store permits, Store leases) {
        return ClusterBudget.start(
                ClusterSettings.builder("cluster.example").build(),
                permits,
                leases,
                time,
                () -> Instant.ofEpochSecond(BEGIN_SECONDS, time.nanos()),
                new SplittableRandom(1));
    }

    @Test
    void leasesAreGivenWhileOnlyPermitsAreRefusedAndThatIsSaidOnce() {
        ClusterBudget budget = start(new Refusing(store(), true), store());
        CompletableFuture<Permit> permit =
                Objects.requireNonNull(budget.permits()).acquire(Urgency.URGENT).toCompletableFuture();
        time.advance(20 * SECOND);
        assertThat(budget.stats().away()).isTrue();
        // Alone, at a careful part of the rate.
        assertThat(permit).isCompleted();
        List<CompletableFuture<Lease>> leases = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            leases.add(Objects.requireNonNull(budget.leases()).acquire().toCompletableFuture());
        }
        var waiting = Objects.requireNonNull(budget.permits()).acquire(Urgency.URGENT);
        time.advance(60 * SECOND);
        assertThat(leases).allSatisfy(lease -> assertThat(lease).isCompleted());
        assertThat(waiting.toCompletableFuture()).isCompleted();
        assertThat(log.startingWith("WARN "))
                .hasSize(2)
                .anyMatch(line -> line.startsWith("WARN Reservoir: cluster budget refuses a call"))
                .anyMatch(line -> line.startsWith("WARN Reservoir: cluster budget does not answer"));
        assertThat(log.startingWith("INFO ")).isEmpty();
    }

    @Test
    void aKindOfCallThatIsRefusedIsSaidThoughTheOthersAreAnswered() {
        Refusing leases = new Refusing(store(), false);
        ClusterBudget budget = start(store(), leases);
        time.advance(60 * SECOND);
        assertThat(budget.stats().away()).isFalse();
        assertThat(log.startingWith("WARN "))
                .singleElement()
                .asString()
                .startsWith("WARN Reservoir: cluster budget refuses a call  endpoint=cluster.example")
                .contains("BatchGetItem is denied");
    }

    @Test
    void whoCannotTellOfItsEndSaysSo() {
        Refusing leases = new Refusing(store(), false);
        ClusterBudget budget = start(store(), leases);
        time.advance(SECOND);
        leases.all = true;
        CompletableFuture<Void> left = budget.leave().toCompletableFuture();
        time.advance(60 * SECOND);
        assertThat(left).isCompleted();
        assertThat(log.startingWith("WARN "))
                .contains(
                        "WARN Reservoir: could not leave the cluster budget, other processes will take its leases back"
                                + "  endpoint=cluster.example within=\"60 s\"");
    }

    @Test
    void whoCanTellOfItsEndSaysNothing() {
        ClusterBudget budget = start(store(), store());
        time.advance(SECOND);
        CompletableFuture<Void> left = budget.leave().toCompletableFuture();
        time.advance(SECOND);
        assertThat(left).isCompleted();
        assertThat(log.startingWith("WARN ")).isEmpty();
    }

    /** Refuses all calls, or looks at the members only. */
    private static final class Refusing extends ForwardingStore {
        private boolean all;

        Refusing(Store inner, boolean all) {
            super(inner);
            this.all = all;
        }

        private static CompletionStage<Answer> refuse(String action) {
            return CompletableFuture.failedFuture(new StoreException(Kind.REFUSED, action + " is denied", -1, null));
        }

        @Override
        public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
            return all || !consistent ? refuse("BatchGetItem") : super.read(keys, consistent);
        }

        @Override
        public CompletionStage<Answer> write(Write write) {
            return all ? refuse("UpdateItem") : super.write(write);
        }

        @Override
        public CompletionStage<Answer> transact(List<Write> writes, String token) {
            return all ? refuse("TransactWriteItems") : super.transact(writes, token);
        }
    }
}
