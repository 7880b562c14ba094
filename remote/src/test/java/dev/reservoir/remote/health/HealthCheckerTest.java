package dev.reservoir.remote.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.remote.model.HealthCheckConfig;
import dev.reservoir.remote.model.RemoteException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** When servers are checked, and that a server that hangs delays no other. On virtual time. */
class HealthCheckerTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private final VirtualTime time = new VirtualTime();

    /** The tasks of checks that hang. The test runs them later, in place of a thread. */
    private final List<Runnable> hanging = new ArrayList<>();

    private final HealthChecker checker = new HealthChecker(time, this::execute);
    private boolean hangs;
    private boolean rejects;

    private void execute(Runnable task) {
        if (rejects) {
            throw new RejectedExecutionException("no thread");
        }
        if (hangs) {
            hanging.add(task);
        } else {
            task.run();
        }
    }

    private static final class Server implements HealthTarget {
        HealthCheckConfig config;
        int checks;
        int good;
        int aborts;
        boolean away;
        boolean tellsNothing;
        final List<String> failures = new ArrayList<>();

        Server() {
            try {
                config = HealthCheckConfig.builder().build();
            } catch (RemoteException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String name() {
            return "server";
        }

        @Override
        public HealthCheckConfig health() {
            return config;
        }

        @Override
        public boolean check(Duration timeout) throws SQLException {
            checks++;
            if (away) {
                throw new SQLException("away");
            }
            return !tellsNothing;
        }

        @Override
        public void abortCheck() {
            aborts++;
        }

        @Override
        public void succeeded() {
            good++;
        }

        @Override
        public void failed(String reason) {
            failures.add(reason);
        }
    }

    @Test
    void serversAreCheckedAtOnceAndThenAtTheirInterval() {
        Server server = new Server();
        checker.add(server);
        time.advance(100 * SECOND);
        assertThat(server.checks).as("not before the start").isZero();

        checker.start();
        time.advance(95 * SECOND);
        assertThat(server.checks).isEqualTo(4);
        assertThat(server.good).isEqualTo(4);

        checker.stop();
        time.advance(100 * SECOND);
        assertThat(server.checks).isEqualTo(4);
        checker.start();
        time.advance(SECOND);
        assertThat(server.checks).isEqualTo(5);
        checker.remove(server);
        time.advance(100 * SECOND);
        assertThat(server.checks).isEqualTo(5);
    }

    @Test
    void aChangedIntervalCountsFromTheLastCheck() throws RemoteException {
        Server server = new Server();
        checker.add(server);
        checker.start();
        time.advance(2 * SECOND);
        assertThat(server.checks).isEqualTo(1);

        server.config =
                HealthCheckConfig.builder().interval(Duration.ofSeconds(5)).build();
        checker.changed(server);
        time.advance(2 * SECOND);
        checker.changed(server);
        assertThat(server.checks).isEqualTo(1);
        time.advance(SECOND);
        assertThat(server.checks).isEqualTo(2);

        server.config = HealthCheckConfig.builder().build();
        checker.changed(server);
        time.advance(29 * SECOND);
        assertThat(server.checks).isEqualTo(2);
        time.advance(31 * SECOND);
        assertThat(server.checks).as("one check in each interval").isEqualTo(4);
    }

    @Test
    void aServerThatCanBeCheckedOnlyNowIsCheckedSoon() {
        Server server = new Server();
        checker.add(server);
        checker.checkSoon(server);
        time.advance(SECOND);
        assertThat(server.checks).as("the checker does not run").isZero();

        checker.start();
        time.advance(SECOND);
        assertThat(server.checks).isEqualTo(1);
        checker.checkSoon(server);
        checker.changed(server);
        time.advance(SECOND);
        assertThat(server.checks).isEqualTo(2);
    }

    @Test
    void aFailureHasItsReason() {
        Server server = new Server();
        checker.add(server);
        server.away = true;
        assertThat(checker.check(server)).isCompletedWithValue(false);
        assertThat(server.failures).containsExactly("away");
    }

    @Test
    void aCheckThatTellsNothingChangesNothing() {
        Server server = new Server();
        checker.add(server);
        server.tellsNothing = true;
        assertThat(checker.check(server))
                .as("nobody knows that the server works")
                .isCompletedWithValue(false);
        assertThat(server.good).isZero();
        assertThat(server.failures).isEmpty();
    }

    @Test
    void aServerThatHangsFailsAtItsTimeoutAndDelaysNoOther() {
        Server stuck = new Server();
        Server good = new Server();
        checker.add(stuck);
        checker.add(good);
        hangs = true;
        CompletableFuture<Boolean> first = checker.check(stuck);
        hangs = false;
        assertThat(checker.check(good)).isCompletedWithValue(true);

        time.advance(5 * SECOND);
        assertThat(first).isCompletedWithValue(false);
        assertThat(stuck.failures).hasSize(1);
        assertThat(stuck.aborts).isEqualTo(1);

        CompletableFuture<Boolean> second = checker.check(stuck);
        assertThat(second).isCompletedWithValue(false);
        assertThat(stuck.failures)
                .as("each further interval is a failure, without another thread")
                .hasSize(2);
        assertThat(hanging).hasSize(1);

        hanging.remove(0).run();
        assertThat(stuck.good)
                .as("an answer that comes too late counts for nothing")
                .isZero();
        assertThat(checker.check(stuck)).isCompletedWithValue(true);
        assertThat(stuck.good).isEqualTo(1);
    }

    @Test
    void withoutAThreadNothingIsSaidAboutTheServer() {
        Server server = new Server();
        checker.add(server);
        rejects = true;
        assertThat(checker.check(server)).isCompletedWithValue(false);
        assertThat(server.failures).isEmpty();
        rejects = false;
        assertThat(checker.check(server)).isCompletedWithValue(true);
    }

    @Test
    void aRemovedServerGetsNoResult() {
        Server server = new Server();
        checker.add(server);
        hangs = true;
        CompletableFuture<Boolean> unused = checker.check(server);
        checker.remove(server);
        server.away = true;
        hanging.remove(0).run();
        assertThat(server.failures).isEmpty();
    }

    @Test
    void aRemovedServerIsNotCheckedAgain() {
        Server server = new Server();
        checker.add(server);
        checker.remove(server);
        assertThat(checker.check(server)).isCompletedWithValue(false);
        checker.start();
        time.advance(100 * SECOND);
        assertThat(server.checks).isZero();
    }
}
