package dev.reservoir.remote.pool;

import static dev.reservoir.remote.pool.ServerPoolRun.MS;
import static dev.reservoir.remote.pool.ServerPoolRun.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.remote.health.HealthChecker;
import dev.reservoir.remote.model.ExhaustionPolicy;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.sql.Connection;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What checks and probes say about a server, and what they do not. On virtual time. */
class ServerMonitorSimulationTest {
    private static final long LONG = 3 * SECOND;
    private final VirtualTime time = new VirtualTime();
    private final SimulatedThreads threads = new SimulatedThreads(time);
    private final HealthChecker checker = new HealthChecker(time, threads);
    private ServerPoolRun server;
    private ServerPoolRun.User ann;

    @BeforeEach
    void start() throws RemoteException {
        server = new ServerPoolRun("pg", 1, time, threads, new SplittableRandom(1), event -> {});
        server.watch(checker);
        ann = server.addUser("ann");
    }

    @AfterEach
    void end() {
        threads.close();
    }

    /** A connection or an error. */
    private record Ended(Connection connection, RemoteErrorCode error) {}

    private Ended acquire(String user, long timeoutNanos) {
        CompletableFuture<Ended> ended = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                ended.complete(new Ended(
                        server.pool
                                .acquire(user, Duration.ofNanos(timeoutNanos))
                                .connection(),
                        null));
            } catch (RemoteException e) {
                ended.complete(new Ended(null, e.code()));
            }
        });
        time.advance(timeoutNanos + 2 * MS);
        return ended.join();
    }

    private void release(Connection connection) {
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                released.complete(connection.isClosed());
                connection.close();
            } catch (java.sql.SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        time.advance(10 * MS);
        assertThat(released).isCompletedWithValue(false);
    }

    private boolean check() {
        CompletableFuture<Boolean> result = checker.check(server.pool.monitor());
        time.advance(SECOND);
        return result.join();
    }

    /** Makes the server unhealthy, and waits until the next caller may be a probe. */
    private void makeUnhealthy() {
        server.pool.monitor().markUnhealthy("by hand");
        time.advance(2 * SECOND);
    }

    private void assertNothingCounted() {
        assertThat(server.pool.health().failedChecks()).isZero();
        assertThat(server.pool.health().reason()).isEqualTo("by hand");
        assertThat(server.pool.isHealthy()).isFalse();
    }

    // Checks.

    @Test
    void aMappingThatCannotBeUsedGivesWayToTheNext() {
        server.addUser("bob");
        server.database.unusable.add("ann");
        checker.start();
        time.advance(10 * SECOND);
        assertThat(server.pool.isHealthy()).isTrue();
        assertThat(server.pool.health().failedChecks()).isZero();
        assertThat(server.pool.health().checks()).isPositive();
        assertThat(server.database.monitorSessions)
                .extracting(session -> session.mapping.localUser())
                .containsExactly("bob");

        server.database.unusable.clear();
        ann.addMapping();
        time.advance(5 * SECOND);
        assertThat(server.database.monitorSessions)
                .as("after a change, the first mapping is that of the checks again")
                .extracting(session -> session.mapping.localUser())
                .containsExactly("ann");
    }

    @Test
    void checksDoNotJudgeAServerIfNoMappingCanBeUsed() {
        server.database.unusable.add("ann");
        for (int i = 0; i < 5; i++) {
            assertThat(check()).isFalse();
        }
        assertThat(server.pool.isHealthy()).isTrue();
        assertThat(server.pool.health().failedChecks()).isZero();
        assertThat(server.pool.health().checks()).isZero();

        server.database.unusable.clear();
        assertThat(check()).isTrue();
    }

    // Probes.

    @Test
    void aProbeThatGetsNoPlaceSaysNothing() {
        Connection held = acquire("ann", LONG).connection;
        for (long timeout : new long[] {0, 20 * MS}) {
            makeUnhealthy();
            assertThat(acquire("ann", timeout).error).isEqualTo(RemoteErrorCode.POOL_EXHAUSTED);
            assertNothingCounted();
        }
        release(held);
    }

    @Test
    void aProbeThatIsRefusedAtOnceSaysNothingAndIsGivenBack() throws RemoteException {
        server.pool.update(server.pool.definition().toBuilder()
                .pool(server.pool.definition().pool().toBuilder()
                        .exhaustionPolicy(ExhaustionPolicy.FAIL_FAST)
                        .build())
                .build());
        Connection held = acquire("ann", LONG).connection;
        makeUnhealthy();
        assertThat(acquire("ann", 10 * MS).error).isEqualTo(RemoteErrorCode.POOL_EXHAUSTED);
        assertThat(acquire("ann", 10 * MS).error)
                .as("the next caller may be a probe")
                .isEqualTo(RemoteErrorCode.POOL_EXHAUSTED);
        assertNothingCounted();
        release(held);
    }

    @Test
    void anOldFailureIsNotCountedByAProbeWithLittleTime() {
        server.database.away = true;
        assertThat(acquire("ann", LONG).error).isEqualTo(RemoteErrorCode.CONNECTION_FAILED);
        makeUnhealthy();
        server.database.away = false;
        CompletableFuture<Boolean> check = checker.check(server.pool.monitor());
        time.advance(20 * MS);
        assertThat(check).isCompletedWithValue(true);
        assertThat(acquire("ann", MS).error)
                .as("the pool of ann did not connect again yet")
                .isEqualTo(RemoteErrorCode.CONNECTION_FAILED);
        assertNothingCounted();
        assertThat(server.pool.health().successesInARow()).isEqualTo(1);
    }

    @Test
    void aServerThatOutlastsTheTimeOfAProbeHasNotFailed() {
        release(acquire("ann", LONG).connection);
        makeUnhealthy();
        server.database.hangs = true;
        assertThat(acquire("ann", 20 * MS).error).isNotNull();
        assertNothingCounted();
        assertThat(acquire("ann", 20 * MS).error)
                .as("one caller waits in each interval")
                .isEqualTo(RemoteErrorCode.SERVER_UNAVAILABLE);
    }

    @Test
    void aProbeThatTheServerFailsIsCounted() {
        release(acquire("ann", LONG).connection);
        makeUnhealthy();
        server.database.hangs = true;
        assertThat(acquire("ann", LONG).error).isNotNull();
        assertThat(server.pool.health().failedChecks())
                .as("the server did not answer within the timeout of checks")
                .isEqualTo(1);

        server.database.hangs = false;
        server.database.away = true;
        time.advance(2 * SECOND);
        assertThat(acquire("ann", LONG).error).isEqualTo(RemoteErrorCode.CONNECTION_FAILED);
        assertThat(server.pool.health().failedChecks())
                .as("connects failed during the probe")
                .isEqualTo(2);
        assertThat(server.pool.health().reason()).contains("connection refused");
    }

    @Test
    void aCallerWhoseMappingCannotBeUsedTakesTheProbeFromNobody() {
        server.addUser("bob");
        server.database.unusable.add("bob");
        makeUnhealthy();
        assertThat(acquire("bob", LONG).error).isEqualTo(RemoteErrorCode.INVALID_OPTION);
        // The wait for bob was longer than the pause between probes. So ask at once as well.
        assertThat(acquire("bob", 0).error).isEqualTo(RemoteErrorCode.INVALID_OPTION);
        assertThat(acquire("bob", 0).error).isEqualTo(RemoteErrorCode.INVALID_OPTION);
        Connection probed = acquire("ann", 100 * MS).connection;
        assertThat(probed).isNotNull();
        release(probed);
        assertThat(server.pool.health().failedChecks()).isZero();
        assertThat(server.pool.health().checks()).isEqualTo(1);
    }

    // The fast path.

    @Test
    void aReadyConnectionIsNotHandedOutAfterAChange() throws RemoteException {
        release(acquire("ann", LONG).connection);
        UserPool before = server.pool.pool("ann");
        server.handingOut = ann::addMapping;
        CompletableFuture<Boolean> refused = new CompletableFuture<>();
        threads.execute(() -> refused.complete(before.tryAcquire() == null));
        time.advance(SECOND);
        assertThat(refused).isCompletedWithValue(true);
        assertThat(server.database.sessions).as("the old session is closed").isEmpty();
        server.handingOut = () -> {};
        release(acquire("ann", LONG).connection);
    }
}
