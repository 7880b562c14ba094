package dev.reservoir.dsql.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SnowflakeIdsTest {
    private static final long BEGIN = Instant.parse("2026-11-01T12:00:00Z").toEpochMilli();

    private final AtomicLong millis = new AtomicLong(BEGIN);

    /** Passes a millisecond for ten looks at the clock. */
    private final AtomicLong pauses = new AtomicLong();

    private final SnowflakeIds ids = SnowflakeIds.of(NodeIdSource.fixed(5), millis::get, nanos -> {
        if (pauses.incrementAndGet() % 10 == 0) {
            millis.incrementAndGet();
        }
    });

    @Test
    void anIdHoldsItsTimeItsNodeAndANumber() {
        long id = ids.next();

        assertThat(id).isPositive();
        assertThat(SnowflakeIds.timeOf(id)).isEqualTo(Instant.ofEpochMilli(BEGIN));
        assertThat(SnowflakeIds.nodeOf(id)).isEqualTo(5);
        assertThat(id & 0xFFF).isZero();
        assertThat(ids.next()).isEqualTo(id + 1);
    }

    @Test
    void the4096IdsOfAMillisecondAreFollowedByThoseOfTheNext() {
        for (int i = 0; i < SnowflakeIds.PER_MILLISECOND; i++) {
            assertThat(SnowflakeIds.timeOf(ids.next()).toEpochMilli()).isEqualTo(BEGIN);
        }
        assertThat(pauses).hasValue(0);
        assertThat(SnowflakeIds.timeOf(ids.next()).toEpochMilli()).isEqualTo(BEGIN + 1);
        assertThat(pauses).hasValue(10);
    }

    @Test
    void aClockThatGoesBackIsNotFollowed() {
        long before = ids.next();
        millis.addAndGet(-3_000);

        Set<Long> seen = new HashSet<>(Set.of(before));
        long last = before;
        for (int i = 0; i < 10_000; i++) {
            long next = ids.next();
            assertThat(next).isGreaterThan(last);
            assertThat(seen.add(next)).isTrue();
            last = next;
        }
        assertThat(pauses).as("it goes on at once").hasValue(0);
        assertThat(SnowflakeIds.timeOf(last).toEpochMilli()).isEqualTo(BEGIN + 2);
    }

    @Test
    void aSmallStepBackIsWaitedOutOnlyWhenTheMillisecondIsUsedUp() {
        ids.next();
        millis.addAndGet(-3);
        for (int i = 1; i < SnowflakeIds.PER_MILLISECOND; i++) {
            ids.next();
        }
        assertThat(pauses).hasValue(0);

        assertThat(SnowflakeIds.timeOf(ids.next()).toEpochMilli()).isEqualTo(BEGIN + 1);
        assertThat(pauses).as("4 ms").hasValue(40);
    }

    @Test
    void aLargeStepBackIsRefusedUntilTheClockIsNear() {
        long before = ids.next();
        millis.addAndGet(-10_001);
        assertThatThrownBy(ids::next)
                .hasMessage("the clock went back by 10001 ms, behind the last id; allowed: up to 10000 ms");
        millis.addAndGet(1);
        assertThat(ids.next()).isEqualTo(before + 1);
    }

    @Test
    void idsOfALeasedNodeRunAheadByHalfTheLeaseAtMost() {
        SnowflakeIds leased = SnowflakeIds.of(
                NodeIdSource.leased(() -> 5, Duration.ofSeconds(4)), millis::get, nanos -> millis.incrementAndGet());
        long before = leased.next();
        millis.addAndGet(-2_001);
        assertThatThrownBy(leased::next)
                .hasMessage("the clock went back by 2001 ms, behind the last id; allowed: up to 2000 ms");
        millis.addAndGet(1);
        assertThat(leased.next()).isEqualTo(before + 1);
        for (int i = 0; i < 3 * SnowflakeIds.PER_MILLISECOND; i++) {
            long ahead = SnowflakeIds.timeOf(leased.next()).toEpochMilli() - millis.get();
            assertThat(ahead).isLessThanOrEqualTo(2_000);
        }
    }

    @Test
    void whereNothingIsSaidOfTheLeaseItIsTheShortestThereIs() {
        SnowflakeIds ofAnyLease = SnowflakeIds.of(() -> 5, millis::get, nanos -> {});
        ofAnyLease.next();
        millis.addAndGet(-1_501);
        assertThatThrownBy(ofAnyLease::next).hasMessageEndingWith("allowed: up to 1500 ms");
    }

    @Test
    void aLongLeaseAllowsNoMoreThanTenSeconds() {
        SnowflakeIds leased =
                SnowflakeIds.of(NodeIdSource.leased(() -> 5, Duration.ofHours(1)), millis::get, nanos -> {});
        leased.next();
        millis.addAndGet(-10_001);
        assertThatThrownBy(leased::next).hasMessageEndingWith("allowed: up to 10000 ms");
    }

    /**
     * The first holder's clock is set back all the time; the next one has a clock that is right, and comes a lease time
     * after it.
     */
    @Test
    void whoHasTheNodeIdNextNeverMakesAnIdOfWhoHadItBefore() {
        Duration lease = Duration.ofSeconds(3);
        SplittableRandom random = new SplittableRandom(7);
        long lastOfFirst = -1;
        SnowflakeIds first = SnowflakeIds.of(NodeIdSource.leased(() -> 5, lease), millis::get, nanos -> {});
        for (int i = 0; i < 1_000; i++) {
            millis.addAndGet(random.nextInt(-300, 200));
            try {
                lastOfFirst = first.next();
            } catch (IllegalStateException tooFarAhead) {
                millis.addAndGet(1_000);
            }
        }
        millis.addAndGet(lease.toMillis());
        SnowflakeIds next = SnowflakeIds.of(NodeIdSource.leased(() -> 5, lease), millis::get, nanos -> {});
        assertThat(next.next()).isGreaterThan(lastOfFirst);
    }

    @Test
    void aLeaseWithoutTimeIsRefused() {
        assertThatThrownBy(() -> NodeIdSource.leased(() -> 5, Duration.ZERO))
                .hasMessage("protectedFor is PT0S; allowed: a lease time, 1 ms or more");
    }

    @Test
    void aClockThatStandsStillIsNotWaitedForForEver() {
        SnowflakeIds stuck = SnowflakeIds.of(NodeIdSource.fixed(1), () -> BEGIN, nanos -> {});
        for (int i = 0; i < SnowflakeIds.PER_MILLISECOND; i++) {
            stuck.next();
        }
        assertThatThrownBy(stuck::next).hasMessageStartingWith("the clock has stood still");
    }

    @Test
    void anInterruptedThreadWaitsForTheNextMillisecondAllTheSame() {
        SnowflakeIds real = SnowflakeIds.of(NodeIdSource.fixed(1));
        Thread.currentThread().interrupt();
        try {
            long last = -1;
            for (int i = 0; i < 20 * SnowflakeIds.PER_MILLISECOND; i++) {
                long next = real.next();
                assertThat(next > last).isTrue();
                last = next;
            }
        } finally {
            assertThat(Thread.interrupted()).as("it stays interrupted").isTrue();
        }
    }

    @Test
    void aNodeIdThatChangesMeanwhileIsNotUsed() {
        Deque<Integer> answers = new ArrayDeque<>(List.of(1, 2, 2, 2));
        SnowflakeIds moving = SnowflakeIds.of(answers::remove, millis::get, nanos -> {});
        assertThat(SnowflakeIds.nodeOf(moving.next())).isEqualTo(2);
        assertThat(answers).isEmpty();
    }

    @Test
    void aClockBeforeTheEpochIsRefused() {
        millis.set(SnowflakeIds.EPOCH.toEpochMilli() - 1);
        assertThatThrownBy(ids::next).hasMessageStartingWith("the clock says 2023-12-31T23:59:59.999Z");
        millis.set(SnowflakeIds.EPOCH.toEpochMilli());
        assertThat(ids.next()).isEqualTo(5L << 12);
    }

    @Test
    void idsStayUniqueAndInOrderWhateverTheClockDoes() {
        long seed = 42;
        SplittableRandom random = new SplittableRandom(seed);
        long last = -1;
        for (int i = 0; i < 200_000; i++) {
            if (random.nextInt(100) == 0) {
                millis.addAndGet(random.nextInt(-50, 60));
            }
            long next = ids.next();
            assertThat(next).as("seed %d, id %d", seed, i).isGreaterThan(last);
            last = next;
        }
    }

    @Test
    void manyThreadsAndNodesNeverMakeTheSameId() throws Exception {
        List<SnowflakeIds> nodes = List.of(
                SnowflakeIds.of(NodeIdSource.fixed(0)),
                SnowflakeIds.of(NodeIdSource.fixed(1)),
                SnowflakeIds.of(NodeIdSource.fixed(NodeIdSource.NODE_ID_MAX)));
        ExecutorService executor = Executors.newFixedThreadPool(6);
        try {
            List<Callable<long[]>> tasks = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                SnowflakeIds mine = nodes.get(i % 3);
                tasks.add(() -> {
                    long[] made = new long[50_000];
                    for (int j = 0; j < made.length; j++) {
                        made[j] = mine.next();
                    }
                    return made;
                });
            }
            Set<Long> all = new HashSet<>();
            for (Future<long[]> task : executor.invokeAll(tasks)) {
                long last = -1;
                for (long id : task.get()) {
                    assertThat(id).isGreaterThan(last);
                    last = id;
                    all.add(id);
                }
            }
            assertThat(all).hasSize(300_000);
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void nodeIdsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> NodeIdSource.fixed(1_024)).hasMessage("nodeId is 1024; allowed: 0 to 1023");
        assertThatThrownBy(() -> SnowflakeIds.of(() -> -1).next()).hasMessage("node id is -1; allowed: 0 to 1023");
        assertThatThrownBy(() -> SnowflakeIds.timeOf(-1)).hasMessage("id is -1; allowed: 0 and more");
    }

    @Test
    void whoHasNoNodeIdMakesNoIds() {
        SnowflakeIds lost = SnowflakeIds.of(() -> {
            throw new IllegalStateException("no node id");
        });
        assertThatThrownBy(lost::next).hasMessage("no node id");
    }
}
