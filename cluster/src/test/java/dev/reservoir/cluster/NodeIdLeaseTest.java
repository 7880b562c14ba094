package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Node ids on virtual time: no two at the same time, and what one makes with a node id is before all that the next
 * makes.
 */
class NodeIdLeaseTest {
    private static final String ENDPOINT = "cluster.example";
    private static final long BEGIN_SECONDS = 1_700_000_000L;
    private static final Duration LEASE = Duration.ofSeconds(60);

    /** While a machine sleeps the one clock goes on, and the other does not. */
    private long asleepSeconds;

    private final VirtualTime time = new VirtualTime();
    private final ModelTable table =
            new ModelTable(() -> BEGIN_SECONDS + asleepSeconds + time.nanos() / 1_000_000_000L);
    private final List<Node> nodes = new ArrayList<>();

    /** By how much ids may be ahead of the clock of whoever makes them. */
    private static final Duration AHEAD = Duration.ofSeconds(10);

    /** The latest time that ids of a node can carry, and of whose making. */
    private final Map<Integer, Made> made = new HashMap<>();

    private record Made(Node node, Instant until) {}

    /** One process. */
    private final class Node {
        final NodeIdLease lease;
        final ModelStore store;
        boolean throttled;
        boolean cut;
        boolean losesAnswers;
        boolean dead;
        long wallOffSeconds;

        Node(int number, long wallOffSeconds) {
            this.wallOffSeconds = wallOffSeconds;
            SplittableRandom random = new SplittableRandom(number);
            ModelStore.Trouble trouble = new ModelStore.Trouble() {
                @Override
                public boolean isCut() {
                    return cut || dead;
                }

                @Override
                public boolean losesAnswer() {
                    return losesAnswers;
                }
            };
            store = new ModelStore(table, time, time, () -> 4_000_000L + random.nextLong(8_000_000L), trouble);
            lease = NodeIdLease.start(
                    ClusterSettings.builder(ENDPOINT)
                            .host("p" + number)
                            .leaseTime(LEASE)
                            .logged(false)
                            .build(),
                    new ThrottledWrites(store, time, () -> throttled),
                    time,
                    this::wall,
                    new SplittableRandom(1_000 + number));
            nodes.add(this);
        }

        Instant wall() {
            return Instant.ofEpochSecond(BEGIN_SECONDS + asleepSeconds + wallOffSeconds, time.nanos());
        }

        boolean holds() {
            return !dead && lease.isHeld();
        }
    }

    private Node node() {
        return new Node(nodes.size(), 0);
    }

    /** Passes time in small steps and looks at who holds what after each. */
    private void run(Duration duration) {
        long until = time.nanos() + duration.toNanos();
        while (time.nanos() < until) {
            time.advance(500_000_000L);
            look();
        }
    }

    private void look() {
        Map<Integer, Node> held = new HashMap<>();
        for (Node node : nodes) {
            if (node.holds()) {
                int id = node.lease.nodeId();
                assertThat(id).isBetween(0, NodeIdLease.NODES - 1);
                assertThat(held.put(id, node)).as("two hold %d", id).isNull();
                Instant wall = node.wall();
                Made before = made.get(id);
                if (before != null && before.node != node) {
                    assertThat(wall).as("node id %d changed hands", id).isAfter(before.until);
                }
                Instant ahead = wall.plus(AHEAD);
                boolean later = before == null || before.node != node || ahead.isAfter(before.until);
                made.put(id, later ? new Made(node, ahead) : before);
            }
        }
    }

    @Test
    void aProcessGetsANodeIdAndKeepsIt() {
        Node node = node();
        assertThatThrownBy(node.lease::nodeId).hasMessageContaining("is held yet; one is taken in the background");
        run(Duration.ofSeconds(1));
        int id = node.lease.nodeId();

        run(Duration.ofMinutes(30));
        assertThat(node.lease.nodeId()).isEqualTo(id);
    }

    @Test
    void manyThatStartTogetherGetDifferentOnes() {
        for (int i = 0; i < 300; i++) {
            node();
        }
        run(Duration.ofMinutes(2));
        assertThat(nodes).allMatch(Node::holds);
    }

    @Test
    void allNodeIdsCanBeHadAndWhoComesThenWaits() throws Exception {
        for (int i = 0; i < NodeIdLease.NODES; i++) {
            node();
        }
        run(Duration.ofMinutes(1));
        assertThat(nodes).allMatch(Node::holds);
        Node late = node();
        run(Duration.ofMinutes(3));
        assertThat(late.holds()).isFalse();
        assertThatThrownBy(() -> late.lease.awaitNodeId(Duration.ofMillis(1)))
                .isInstanceOf(IllegalStateException.class);

        int freed = nodes.get(17).lease.nodeId();
        nodes.get(17).dead = true;
        run(Duration.ofMinutes(4));
        assertThat(late.lease.nodeId()).isEqualTo(freed);
        assertThat(late.lease.awaitNodeId(Duration.ofMillis(1))).isEqualTo(freed);
    }

    @Test
    void oneThatLeavesStopsAtOnceAndItsIdIsFreeWhenIdsThatRanAheadAreOfThePast() {
        Node node = node();
        run(Duration.ofSeconds(1));
        int id = node.lease.nodeId();
        var left = node.lease.leave().toCompletableFuture();
        assertThat(node.lease.isHeld()).isFalse();
        run(Duration.ofSeconds(1));
        assertThat(left).isDone();
        assertThatThrownBy(node.lease::nodeId).hasMessageContaining("it was given back");
        node.lease.close();

        long freeFrom = table.item(ItemKeys.node(ENDPOINT, id)).number(ItemKeys.FREE_FROM, 0);
        assertThat(freeFrom / 1_000 - BEGIN_SECONDS).isBetween(12L, 13L);
    }

    @Test
    void oneWhoseClockIsAheadLeavesItsIdForWhenOthersHaveTheSameTime() {
        Node node = new Node(0, 300);
        run(Duration.ofSeconds(1));
        int id = node.lease.nodeId();
        node.wallOffSeconds = 0;
        node.lease.leave();
        run(Duration.ofSeconds(1));
        long freeFrom = table.item(ItemKeys.node(ENDPOINT, id)).number(ItemKeys.FREE_FROM, 0);
        assertThat(freeFrom / 1_000 - BEGIN_SECONDS).isBetween(312L, 313L);
    }

    @Test
    void aClockThatGoesBackBehindTheHolderBeforeMakesNoIds() {
        for (int i = 0; i < NodeIdLease.NODES; i++) {
            node();
        }
        run(Duration.ofMinutes(1));
        nodes.get(17).lease.leave();
        Node next = node();
        run(Duration.ofMinutes(1));
        assertThat(next.holds()).isTrue();
        next.wallOffSeconds = -100;
        assertThat(next.holds()).isFalse();
        assertThatThrownBy(next.lease::nodeId)
                .hasMessageContaining("belonged to another process until")
                .hasMessageContaining("the clock of this machine was set back to");
    }

    /** What the living ask of the store until all of them have a node id. */
    private void restart(int processes, Consumer<Node> ending, Duration within, double callsMost) {
        for (int i = 0; i < processes; i++) {
            node();
        }
        run(Duration.ofSeconds(20));
        List<Node> before = List.copyOf(nodes);
        assertThat(before).allMatch(Node::holds);
        before.forEach(ending);
        run(Duration.ofSeconds(1));
        nodes.clear();
        for (int i = 0; i < processes; i++) {
            new Node(processes + i, 0);
        }
        run(within);
        assertThat(nodes).allMatch(Node::holds);
        long calls = nodes.stream().mapToLong(it -> it.store.counts().calls()).sum();
        System.out.printf("node ids: %d restarted, %.1f calls each%n", processes, (double) calls / processes);
        assertThat((double) calls / processes).as("calls of each").isLessThan(callsMost);
        assertThat(nodes).allMatch(it -> it.store.counts().calls() < 100);
    }

    @Test
    void sixHundredThatRestartTogetherAllGetOneWithinSeconds() {
        restart(600, node -> node.lease.leave(), Duration.ofSeconds(15), 15);
    }

    @Test
    void sixHundredThatCrashTogetherAllGetOneWithinTwoLeaseTimes() {
        restart(600, node -> node.dead = true, LEASE.multipliedBy(2).plusSeconds(2), 30);
    }

    @Test
    void aThousandThatRestartTogetherAllGetOneWithinSeconds() {
        restart(1_000, node -> node.lease.leave(), Duration.ofSeconds(20), 40);
    }

    @Test
    void anIdIsGivenBackThoughWritesAreThrottledForSeconds() {
        Node node = node();
        run(Duration.ofSeconds(1));
        int id = node.lease.nodeId();
        node.throttled = true;
        var left = node.lease.leave().toCompletableFuture();
        run(Duration.ofSeconds(4));
        assertThat(left).isNotDone();
        node.throttled = false;
        run(Duration.ofSeconds(1));
        assertThat(left).isDone();
        long freeFrom = table.item(ItemKeys.node(ENDPOINT, id)).number(ItemKeys.FREE_FROM, 0);
        assertThat(freeFrom / 1_000 - BEGIN_SECONDS).isBetween(15L, 18L);
    }

    @Test
    void whoCannotGiveItsIdBackStopsTryingAfterFiveSeconds() {
        Node node = node();
        run(Duration.ofSeconds(1));
        node.throttled = true;
        var left = node.lease.leave().toCompletableFuture();
        run(Duration.ofSeconds(6));
        assertThat(left).isDone();
        assertThat(node.store.counts().calls()).isLessThan(40);
    }

    @Test
    void oneThatIsCutOffStopsAfterALeaseTimeAndGoesOnIfNobodyTookIt() {
        Node node = node();
        run(Duration.ofSeconds(1));
        int id = node.lease.nodeId();
        node.cut = true;
        run(Duration.ofSeconds(35));
        assertThat(node.lease.isHeld()).as("less than a lease time").isTrue();
        run(Duration.ofSeconds(40));
        assertThat(node.lease.isHeld()).isFalse();
        assertThatThrownBy(node.lease::nodeId).hasMessageContaining("was not renewed within the lease time");

        node.cut = false;
        run(Duration.ofSeconds(20));
        assertThat(node.lease.nodeId()).isEqualTo(id);
    }

    @Test
    void oneWhoseIdWasTakenMeanwhileTakesAnother() {
        for (int i = 0; i < NodeIdLease.NODES; i++) {
            node();
        }
        run(Duration.ofMinutes(1));
        Node cut = nodes.get(3);
        int id = cut.lease.nodeId();
        cut.cut = true;
        Node late = node();
        run(Duration.ofMinutes(5));
        assertThat(late.lease.nodeId()).as("the only one that became free").isEqualTo(id);

        nodes.get(500).dead = true;
        cut.cut = false;
        run(Duration.ofMinutes(5));
        assertThat(cut.holds()).isTrue();
        assertThat(cut.lease.nodeId()).isNotEqualTo(id);
    }

    /** Another process has taken the id, and the table says until when it has it. */
    private long takenByAnother(int id) {
        long free = (BEGIN_SECONDS + time.nanos() / 1_000_000_000L + 2 * LEASE.toSeconds()) * 1_000;
        table.write(Write.update(
                ItemKeys.node(ENDPOINT, id),
                List.of(Change.set(ItemKeys.OWNER, "another"), Change.set(ItemKeys.FREE_FROM, free))));
        return free;
    }

    private long freeFrom(int id) {
        return Objects.requireNonNull(table.item(ItemKeys.node(ENDPOINT, id))).number(ItemKeys.FREE_FROM, 0);
    }

    @Test
    void oneWhoseIdIsAnothersDoesNotRenewIt() {
        Node node = node();
        run(Duration.ofSeconds(1));
        int id = node.lease.nodeId();
        long free = takenByAnother(id);
        run(Duration.ofSeconds(30));
        assertThat(freeFrom(id)).isEqualTo(free);
        assertThat(node.lease.nodeId()).isNotEqualTo(id);
    }

    @Test
    void oneWhoseIdIsAnothersDoesNotFreeItWhenItLeaves() {
        Node node = node();
        run(Duration.ofSeconds(1));
        int id = node.lease.nodeId();
        long free = takenByAnother(id);
        CompletionStage<Void> left = node.lease.leave();
        run(Duration.ofSeconds(1));
        assertThat(left.toCompletableFuture()).isDone();
        assertThat(freeFrom(id)).isEqualTo(free);
    }

    @Test
    void answersThatGetLostCostNobodyAnId() {
        Node node = node();
        node.losesAnswers = true;
        run(Duration.ofSeconds(30));
        assertThat(node.lease.isHeld()).isFalse();
        node.losesAnswers = false;
        run(Duration.ofSeconds(30));
        int id = node.lease.nodeId();

        node.losesAnswers = true;
        run(Duration.ofSeconds(50));
        node.losesAnswers = false;
        run(Duration.ofSeconds(30));
        assertThat(node.lease.nodeId()).as("the renewals were done").isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whateverHappensNoTwoHoldTheSameOne(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        // Few of the ids are left, so that they change hands often.
        for (int i = 0; i < NodeIdLease.NODES - 4; i++) {
            node();
        }
        run(Duration.ofSeconds(30));
        for (int i = 0; i < 8; i++) {
            new Node(10_000 + i, random.nextLong(-300, 300));
        }
        for (int step = 0; step < 40; step++) {
            Node some = nodes.get(random.nextInt(nodes.size()));
            switch (random.nextInt(6)) {
                case 0 -> some.dead = true;
                case 1 -> some.cut = !some.cut;
                case 2 -> some.losesAnswers = !some.losesAnswers;
                case 3 -> some.lease.leave();
                case 4 -> some.wallOffSeconds += random.nextLong(-100, 100);
                default -> new Node(20_000 + step, random.nextLong(-300, 300));
            }
            run(Duration.ofSeconds(random.nextLong(1, 20)));
        }
    }

    @Test
    void whoSleptDoesNotBelieveInItsNodeIdBeforeItIsRenewed() {
        Node node = node();
        run(Duration.ofSeconds(1));
        int id = node.lease.nodeId();
        asleepSeconds = 600;
        assertThat(node.lease.isHeld()).isFalse();
        assertThatThrownBy(node.lease::nodeId).hasMessageContaining("was not renewed within the lease time");
        run(LEASE);
        assertThat(node.lease.nodeId()).isEqualTo(id);
        long free = table.item(ItemKeys.node(ENDPOINT, id)).number(ItemKeys.FREE_FROM, 0);
        long now = (BEGIN_SECONDS + asleepSeconds) * 1_000 + time.nanos() / 1_000_000;
        assertThat(free).isGreaterThan(now + LEASE.toMillis());
    }

    @Test
    void whoSleptWhileItTookANodeIdRenewsItBeforeItBelievesInIt() {
        Node node = node();
        while (takenFreeFrom() == 0) {
            time.advance(1_000_000L);
        }
        assertThat(node.lease.isHeld()).as("the answer is still on its way").isFalse();
        asleepSeconds = 600;
        for (int i = 0; i < 5_000; i++) {
            time.advance(1_000_000L);
            long now = (BEGIN_SECONDS + asleepSeconds) * 1_000 + time.nanos() / 1_000_000;
            assertThat(node.lease.isHeld() && takenFreeFrom() < now + LEASE.toMillis())
                    .isFalse();
        }
        assertThat(node.lease.isHeld()).isTrue();
    }

    /** When the one node id that was taken is free again; 0 if none was. */
    private long takenFreeFrom() {
        for (int id = 0; id < NodeIdLease.NODES; id++) {
            Item item = table.item(ItemKeys.node(ENDPOINT, id));
            if (item != null) {
                return item.number(ItemKeys.FREE_FROM, 0);
            }
        }
        return 0;
    }
}
