package dev.reservoir.demo.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.dsql.error.ConditionFailedException;
import dev.reservoir.dsql.id.NodeIdSource;
import dev.reservoir.dsql.id.SnowflakeIds;
import dev.reservoir.dsql.tx.Retries;
import dev.reservoir.dsql.tx.Transactions;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.RealPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workflows on a real database. */
class WorkflowStoreTest {
    private static final int SHARDS = 8;

    private final UUID namespace = UUID.randomUUID();
    private final UUID run = UUID.randomUUID();
    private final WorkflowKey order = WorkflowKey.of(namespace, "order-1", SHARDS);
    private final ReservoirDataSource dataSource = ReservoirDataSource.builder()
            .dataSource(RealPostgres.repeatableRead())
            .maxOpen(10)
            .build();
    private final Transactions transactions = Transactions.on(
            dataSource,
            Retries.builder()
                    .retries(100)
                    .base(Duration.ofMillis(1))
                    .cap(Duration.ofMillis(20))
                    .jitter(1)
                    .build());
    private final WorkflowStore store = new WorkflowStore(transactions, SnowflakeIds.of(NodeIdSource.fixed(1)));

    @BeforeEach
    void createSchema() throws SQLException {
        store.createSchema();
        store.createSchema();
        store.createShards(SHARDS);
        store.createShards(SHARDS);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    private Shard acquire(WorkflowKey key, String owner) throws SQLException {
        return store.acquireShard(key.shardId(), owner);
    }

    private long buffered() {
        return RealPostgres.number("select count(*) from buffered_events where namespace_id = '" + namespace + "'");
    }

    @Test
    void aWorkflowIsStartedGetsEventsAndIsCompletedWithAllOfThem() throws SQLException {
        Shard shard = acquire(order, "a");
        store.start(shard, order, run);
        long first = store.signal(order, "paid");
        assertThat(store.signal(order, "packed")).isGreaterThan(first);
        assertThat(store.find(order, run)).contains(new Execution(run, true, shard.rangeId(), 0));

        assertThat(store.complete(shard, order, run)).isEqualTo(2);

        assertThat(store.find(order, run)).contains(new Execution(run, false, shard.rangeId(), 2));
        assertThat(buffered()).isZero();
    }

    @Test
    void aStartIsTheSameIfItIsRepeatedAndAnotherIsRefusedWhileItRuns() throws SQLException {
        Shard shard = acquire(order, "a");
        store.start(shard, order, run);
        store.start(shard, order, run);
        UUID other = UUID.randomUUID();
        assertThatThrownBy(() -> store.start(shard, order, other)).isInstanceOf(WorkflowRefusedException.class);

        store.complete(shard, order, run);
        store.start(shard, order, other);
        assertThatThrownBy(() -> store.complete(shard, order, run)).isInstanceOf(WorkflowRefusedException.class);
        assertThat(store.complete(shard, order, other)).isZero();
    }

    @Test
    void whatDoesNotRunGetsNoEventsAndIsNotCompletedAgain() throws SQLException {
        assertThatThrownBy(() -> store.signal(order, "paid")).isInstanceOf(WorkflowRefusedException.class);
        Shard shard = acquire(order, "a");
        store.start(shard, order, run);
        store.complete(shard, order, run);
        assertThatThrownBy(() -> store.signal(order, "paid")).isInstanceOf(WorkflowRefusedException.class);
        assertThatThrownBy(() -> store.complete(shard, order, run)).isInstanceOf(WorkflowRefusedException.class);
        assertThat(buffered()).isZero();
    }

    @Test
    void anOwnerWhoseShardWasStolenWritesNothingAnyMore() throws SQLException {
        Shard stolen = acquire(order, "a");
        store.start(stolen, order, run);
        Shard thief = acquire(order, "b");
        assertThat(thief.rangeId()).isGreaterThan(stolen.rangeId());

        WorkflowKey another = new WorkflowKey(order.shardId(), namespace, "order-2");
        assertThatThrownBy(() -> store.start(stolen, another, UUID.randomUUID()))
                .isInstanceOfSatisfying(ConditionFailedException.class, e -> {
                    assertThat(e.entity()).isEqualTo("shards [" + order.shardId() + "]");
                    assertThat(e.expectedToken()).isEqualTo(String.valueOf(stolen.rangeId()));
                });
        assertThatThrownBy(() -> store.complete(stolen, order, run)).isInstanceOf(ConditionFailedException.class);

        assertThat(RealPostgres.number("select count(*) from executions where namespace_id = '" + namespace + "'"))
                .as("what it wrote before is there, what it wrote after is not")
                .isEqualTo(1);
        store.complete(thief, order, run);
        assertThat(store.find(order, run)).contains(new Execution(run, false, thief.rangeId(), 0));
    }

    /** However the two overlap: all that a former owner has committed was committed before the shard was stolen. */
    @Test
    void nothingThatAFormerOwnerWritesWhileItsShardIsStolenComesAfterTheTheft() throws Exception {
        for (int round = 0; round < 15; round++) {
            Shard mine = acquire(order, "a");
            UUID tenant = UUID.randomUUID();
            AtomicInteger written = new AtomicInteger();
            String count = "select count(*) from executions where namespace_id = '" + tenant + "'";
            ExecutorService executor = Executors.newFixedThreadPool(2);
            try {
                Future<?> owner = executor.submit(() -> {
                    while (true) {
                        WorkflowKey key = new WorkflowKey(order.shardId(), tenant, "w" + written.get());
                        store.start(mine, key, UUID.randomUUID());
                        written.incrementAndGet();
                    }
                });
                Future<Long> thief = executor.submit(() -> {
                    while (written.get() < 3) {
                        Thread.onSpinWait();
                    }
                    acquire(order, "b");
                    return RealPostgres.number(count);
                });
                long atTheft = thief.get(60, TimeUnit.SECONDS);
                assertThatThrownBy(() -> owner.get(60, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(ConditionFailedException.class);
                assertThat(RealPostgres.number(count)).isEqualTo(atTheft);
            } finally {
                executor.shutdownNow();
            }
        }
    }

    @Test
    void manyAtOnceLoseNoEventAndCompleteEachWorkflowOnce() throws Exception {
        int workflows = 12;
        List<WorkflowKey> keys = new ArrayList<>();
        List<UUID> runs = new ArrayList<>();
        List<Shard> shards = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            shards.add(store.acquireShard(shard, "a"));
        }
        for (int i = 0; i < workflows; i++) {
            keys.add(WorkflowKey.of(namespace, "many-" + i, SHARDS));
            runs.add(UUID.randomUUID());
            store.start(shards.get(keys.get(i).shardId()), keys.get(i), runs.get(i));
        }
        AtomicLong accepted = new AtomicLong();
        AtomicLong applied = new AtomicLong();
        AtomicInteger completions = new AtomicInteger();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            tasks.add(() -> {
                for (int i = 0; i < workflows * 4; i++) {
                    try {
                        store.signal(keys.get(i % workflows), "event");
                        accepted.incrementAndGet();
                    } catch (WorkflowRefusedException e) {
                        // Completed meanwhile.
                    }
                }
                return null;
            });
        }
        for (int t = 0; t < 2; t++) {
            tasks.add(() -> {
                for (int i = 0; i < workflows; i++) {
                    try {
                        applied.addAndGet(store.complete(shards.get(keys.get(i).shardId()), keys.get(i), runs.get(i)));
                        completions.incrementAndGet();
                    } catch (WorkflowRefusedException e) {
                        // The other was faster.
                    }
                }
                return null;
            });
        }
        ExecutorService executor = Executors.newFixedThreadPool(tasks.size());
        try {
            for (Future<Void> each : executor.invokeAll(tasks, 5, TimeUnit.MINUTES)) {
                each.get();
            }
        } finally {
            executor.shutdownNow();
        }

        assertThat(completions).hasValue(workflows);
        assertThat(applied.get()).isEqualTo(accepted.get());
        assertThat(buffered()).isZero();
        assertThat(RealPostgres.number("select coalesce(sum(applied_events), 0) from executions where namespace_id = '"
                        + namespace + "'"))
                .isEqualTo(accepted.get());
    }

    @Test
    void workflowsAreSpreadOverTheShards() {
        int[] counts = new int[SHARDS];
        for (int i = 0; i < 8_000; i++) {
            counts[WorkflowKey.of(namespace, "w-" + i, SHARDS).shardId()]++;
        }
        assertThat(Arrays.stream(counts).min().getAsInt()).isGreaterThan(500);
    }
}
