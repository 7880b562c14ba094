package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A store that takes far fewer writes than are wanted: everybody slows down, and nothing comes to a halt. */
class ThrottlingTest {
    private static final long BEGIN_SECONDS = 1_700_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final ModelTable table = new ModelTable(() -> BEGIN_SECONDS + time.nanos() / 1_000_000_000L);
    private int writesInThisSecond;
    private long second;
    private int throttled;
    private int tried;

    @Test
    void aHundredProcessesStillGetWhatTheRateAllows() {
        AtomicInteger granted = new AtomicInteger();
        List<ClusterBudget> budgets = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Store store = new Throttled(new ModelStore(table, time, () -> 6_000_000L, () -> false), 30);
            ClusterSettings settings = ClusterSettings.builder("cluster.example")
                    .burst(10)
                    .host("p" + i)
                    .maxWait(Duration.ofMinutes(5))
                    .build();
            ClusterBudget budget = ClusterBudget.start(
                    settings,
                    store,
                    store,
                    time,
                    () -> Instant.ofEpochSecond(BEGIN_SECONDS, time.nanos()),
                    new SplittableRandom(i));
            budgets.add(budget);
            Permits permits = Objects.requireNonNull(budget.permits());
            for (int k = 0; k < 40; k++) {
                var unused = permits.acquire(Urgency.URGENT).thenRun(granted::incrementAndGet);
            }
        }
        time.advance(Duration.ofSeconds(60).toNanos());
        assertThat(granted.get()).isEqualTo(4_000);
        assertThat(budgets)
                .noneSatisfy(budget -> assertThat(budget.stats().away()).isTrue());
        // In the first second all come at once. After that most writes find room.
        assertThat(throttled).isPositive();
        int before = throttled;
        int triedBefore = tried;
        time.advance(Duration.ofSeconds(60).toNanos());
        assertThat(throttled - before).isLessThan((tried - triedBefore) / 4);
    }

    @Test
    void whoseChangesDoNotSucceedShowsThatItLivesAllTheSame() {
        boolean[] conflicts = {false};
        List<ClusterBudget> budgets = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            boolean unlucky = i == 0;
            Store store = new Throttled(new ModelStore(table, time, () -> 6_000_000L, () -> false), 1_000) {
                @Override
                public CompletionStage<Answer> transact(List<Write> writes, String token) {
                    return unlucky && conflicts[0] && writes.get(0).kind() == Write.Kind.UPDATE
                            ? CompletableFuture.failedFuture(new StoreException(Kind.CONFLICT, "taken", -1, null))
                            : super.transact(writes, token);
                }
            };
            ClusterSettings settings =
                    ClusterSettings.builder("cluster.example").host("p" + i).build();
            budgets.add(ClusterBudget.start(
                    settings,
                    store,
                    store,
                    time,
                    () -> Instant.ofEpochSecond(BEGIN_SECONDS, time.nanos()),
                    new SplittableRandom(i)));
        }
        time.advance(Duration.ofSeconds(30).toNanos());
        conflicts[0] = true;
        for (int i = 0; i < 40; i++) {
            budgets.forEach(budget -> Objects.requireNonNull(budget.leases()).acquire());
            time.advance(Duration.ofSeconds(5).toNanos());
        }
        conflicts[0] = false;
        time.advance(Duration.ofSeconds(30).toNanos());
        assertThat(budgets).allSatisfy(budget -> {
            BudgetStats.Leases leases = Objects.requireNonNull(budget.stats().leases());
            assertThat(leases.declaredDead()).isZero();
            assertThat(leases.share()).isPositive();
        });
    }

    /** Takes so many writes a second from everybody together. */
    private class Throttled extends ForwardingStore {
        private final int perSecond;

        Throttled(Store inner, int perSecond) {
            super(inner);
            this.perSecond = perSecond;
        }

        private boolean hasRoom(int writes) {
            tried++;
            if (second != time.nanos() / 1_000_000_000L) {
                second = time.nanos() / 1_000_000_000L;
                writesInThisSecond = 0;
            }
            if (writesInThisSecond + writes > perSecond) {
                throttled++;
                return false;
            }
            writesInThisSecond += writes;
            return true;
        }

        private static CompletionStage<Answer> tooMany() {
            return CompletableFuture.failedFuture(new StoreException(Kind.THROTTLED, "too many", -1, null));
        }

        @Override
        public CompletionStage<Answer> write(Write write) {
            return hasRoom(1) ? super.write(write) : tooMany();
        }

        @Override
        public CompletionStage<Answer> transact(List<Write> writes, String token) {
            return hasRoom(writes.size()) ? super.transact(writes, token) : tooMany();
        }
    }
}
