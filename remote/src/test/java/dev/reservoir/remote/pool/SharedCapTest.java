package dev.reservoir.remote.pool;

import static dev.reservoir.remote.pool.SimulatedServer.MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.remote.pool.SimulatedServer.User;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * {@code max_connections} holds across the users of a server and is shared fairly. On virtual time, with the engine.
 */
class SharedCapTest {
    private final VirtualTime time = new VirtualTime();
    private final SimulatedServer server = new SimulatedServer("pg", 10, time, new SplittableRandom(7));

    private static final long SECOND = 1000 * MS;

    @Test
    void theMaximumHoldsWhileManyConnectAtOnce() {
        for (int i = 0; i < 8; i++) {
            server.user("u" + i, 1).loop(20, 20 * MS, 0, 5 * SECOND);
        }
        time.advance(10 * SECOND);

        assertThat(server.sessionsMost).isEqualTo(10);
        assertThat(server.users).allSatisfy(user -> assertThat(user.refused).isZero());
    }

    @Test
    void aUserWithManyWaitersDoesNotStarveAnother() {
        User greedy = server.user("greedy", 1);
        User modest = server.user("modest", 0);
        greedy.loop(200, 50 * MS, 0, 20 * SECOND);
        time.advance(SECOND);
        modest.loop(1, 50 * MS, 100 * MS, 20 * SECOND);
        time.advance(25 * SECOND);

        assertThat(modest.refused).isZero();
        assertThat(modest.longestWaitNanos).isLessThan(100 * MS);
        assertThat(modest.served).isGreaterThan(100);
        assertThat(greedy.served)
                .as("most places stay with the user that needs them")
                .isGreaterThan(3000);
    }

    @Test
    void twoGreedyUsersGetHalfEach() {
        User many = server.user("many", 1);
        User few = server.user("few", 1);
        many.loop(500, 50 * MS, 0, 20 * SECOND);
        few.loop(20, 50 * MS, 0, 20 * SECOND);
        time.advance(20 * SECOND);

        assertThat(few.served).isBetween((int) (0.9 * many.served), (int) (1.1 * many.served));
    }

    @Test
    void moreUsersThanPlacesAllGetTheirTurn() {
        for (int i = 0; i < 25; i++) {
            server.user("u" + i, 1).loop(3, 30 * MS, 0, 20 * SECOND);
        }
        time.advance(25 * SECOND);

        assertThat(server.sessionsMost).isLessThanOrEqualTo(10);
        assertThat(server.users).allSatisfy(user -> {
            assertThat(user.refused).isZero();
            assertThat(user.longestWaitNanos).isLessThan(SECOND);
        });
    }

    @Test
    void idleConnectionsOfOneUserMakeRoomForAnother() {
        User first = server.user("first", 1);
        first.loop(10, 50 * MS, 0, SECOND);
        time.advance(2 * SECOND);
        assertThat(first.pool.counts().ready()).isEqualTo(10);

        User second = server.user("second", 0);
        second.loop(10, 50 * MS, 0, 5 * SECOND);
        time.advance(2 * SECOND);

        assertThat(second.refused).isZero();
        assertThat(second.longestWaitNanos).isLessThan(200 * MS);

        time.advance(5 * SECOND);
        server.leases.look();
        time.advance(SECOND);
        assertThat(first.pool.counts().size())
                .as("the minimum comes back once nobody waits for its place")
                .isEqualTo(1);
    }

    @Test
    void aMinimumGivesWayToACallerThatWaits() {
        for (int i = 0; i < 10; i++) {
            server.user("u" + i, 1);
        }
        time.advance(2 * SECOND);
        assertThat(server.sessions).hasSize(10);

        User late = server.user("late", 1);
        late.call(SECOND, 10 * MS, () -> {});
        time.advance(2 * SECOND);

        assertThat(late.served).isEqualTo(1);
    }

    @Test
    void minimumsDoNotTakePlacesFromEachOther() {
        for (int i = 0; i < 20; i++) {
            server.user("u" + i, 1);
        }
        time.advance(60 * SECOND);

        long opened = server.users.stream()
                .mapToLong(user -> user.pool.stats().opened())
                .sum();
        assertThat(opened)
                .as("no connection is closed to open another that nobody needs")
                .isEqualTo(10);
    }

    @Test
    void aLowerMaximumIsReachedAsCallersRelease() {
        User user = server.user("u", 0);
        user.loop(10, 50 * MS, 0, 3 * SECOND);
        time.advance(SECOND);
        assertThat(server.sessions).hasSize(10);

        server.leases.setMax(4, 0);
        time.advance(SECOND);
        assertThat(server.sessions.size()).isLessThanOrEqualTo(4);
        assertThat(user.refused).isZero();

        server.leases.setMax(8, 0);
        time.advance(SECOND);
        assertThat(server.sessions).hasSize(8);
    }

    @Test
    void aServerIsFullOnceEachPlaceIsInUseOrACallerWaitsForIt() {
        User first = server.user("first", 2);
        User second = server.user("second", 0);
        time.advance(SECOND);
        assertThat(server.leases.isFull()).as("2 idle connections").isFalse();
        for (int i = 0; i < 9; i++) {
            (i < 5 ? first : second).call(SECOND, 10 * SECOND, () -> {});
        }
        assertThat(server.leases.isFull()).as("9 callers have or await a place").isFalse();
        second.call(SECOND, 10 * SECOND, () -> {});
        assertThat(server.leases.isFull())
                .as("10 callers have or await a place")
                .isTrue();
        time.advance(SECOND);
        assertThat(server.leases.isFull()).as("10 in use").isTrue();
        time.advance(20 * SECOND);
        assertThat(server.leases.held()).isPositive();
        assertThat(server.leases.isFull()).as("all idle").isFalse();
    }

    @Test
    void aRefusalNamesTheLimitAndTheNumbers() {
        User holder = server.user("holder", 0);
        for (int i = 0; i < 10; i++) {
            holder.call(SECOND, 60 * SECOND, () -> {});
        }
        time.advance(SECOND);
        User other = server.user("other", 0);
        other.call(SECOND, 0, () -> {});
        time.advance(2 * SECOND);

        assertThat(other.refused).isEqualTo(1);
        assertThat(other.lastRefusal).contains("max_connections of server pg (10)", "10 open or opening for 1 users");
    }
}
