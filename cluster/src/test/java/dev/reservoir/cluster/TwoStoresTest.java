package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.time.VirtualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Permits in one table, leases in another, and only one of them is to be had. */
class TwoStoresTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long BEGIN_SECONDS = 1_700_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();

    @BeforeEach
    void listen() {
        said.start();
        log().setAdditive(false);
        log().setLevel(Level.INFO);
        log().addAppender(said);
    }

    @AfterEach
    void listenNoMore() {
        log().detachAppender(said);
        log().setLevel(null);
        log().setAdditive(true);
    }

    private static Logger log() {
        return (Logger) LoggerFactory.getLogger(ClusterBudget.class);
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

    private List<String> said(Level level) {
        return said.list.stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
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
        assertThat(said(Level.WARN))
                .hasSize(2)
                .anyMatch(queue -> queue.startsWith("Reservoir: cluster budget refuses a call"))
                .anyMatch(queue -> queue.startsWith("Reservoir: cluster budget does not answer"));
        assertThat(said(Level.INFO)).isEmpty();
    }

    @Test
    void aKindOfCallThatIsRefusedIsSaidThoughTheOthersAreAnswered() {
        Refusing leases = new Refusing(store(), false);
        ClusterBudget budget = start(store(), leases);
        time.advance(60 * SECOND);
        assertThat(budget.stats().away()).isFalse();
        assertThat(said(Level.WARN))
                .singleElement()
                .asString()
                .startsWith("Reservoir: cluster budget refuses a call  endpoint=cluster.example")
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
        assertThat(said(Level.WARN))
                .contains("Reservoir: cluster budget not told of the end, others will take its leases back"
                        + "  endpoint=cluster.example within=\"60 s\"");
    }

    @Test
    void whoCanTellOfItsEndSaysNothing() {
        ClusterBudget budget = start(store(), store());
        time.advance(SECOND);
        CompletableFuture<Void> left = budget.leave().toCompletableFuture();
        time.advance(SECOND);
        assertThat(left).isCompleted();
        assertThat(said(Level.WARN)).isEmpty();
    }

    /** Refuses all calls, or looks at the members only. */
    private static final class Refusing implements Store {
        private final Store inner;
        private boolean all;

        Refusing(Store inner, boolean all) {
            this.inner = inner;
            this.all = all;
        }

        private static CompletionStage<Answer> refuse(String action) {
            return CompletableFuture.failedFuture(new StoreException(Kind.REFUSED, action + " is denied", -1, null));
        }

        @Override
        public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
            return all || !consistent ? refuse("BatchGetItem") : inner.read(keys, consistent);
        }

        @Override
        public CompletionStage<Answer> write(Write write) {
            return all ? refuse("UpdateItem") : inner.write(write);
        }

        @Override
        public CompletionStage<Answer> transact(List<Write> writes, String token) {
            return all ? refuse("TransactWriteItems") : inner.transact(writes, token);
        }

        @Override
        public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
            return inner.list(keyPrefix, after);
        }

        @Override
        public StoreCounts counts() {
            return inner.counts();
        }
    }
}
