package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.TestConnectionOwner;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The list knows exactly which objects are open, in any order of opening and closing. */
class TrackedListTest {
    private final Recorder recorder = new Recorder();
    private final TestConnectionOwner owner = new TestConnectionOwner();

    @Test
    void anyOrderOfOpeningAndClosingLeavesExactlyTheOpenOnes() throws SQLException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        PhysicalConnection physical = new PhysicalConnection(recorder.idle(Connection.class));
        for (int checkout = 0; checkout < 50; checkout++) {
            WrappedConnection inUse = owner.acquire(physical);
            List<Statement> open = new ArrayList<>();
            for (int step = 0; step < 200; step++) {
                if (open.isEmpty() || random.nextInt(5) < 3) {
                    open.add(inUse.createStatement());
                } else {
                    open.remove(random.nextInt(open.size())).close();
                }
            }
            recorder.clear();

            inUse.close();

            assertThat(recorder.names())
                    .as("seed %d", seed)
                    .filteredOn("close"::equals)
                    .hasSize(open.size());
            assertThat(physical.isUntouched()).as("seed %d", seed).isTrue();
        }
        assertThat(owner.returns).doesNotContain(false);
    }

    @Test
    void aFailureWhileClosingDetachesTheRest() throws SQLException {
        WrappedConnection inUse = owner.acquire(recorder.idle(Connection.class));
        TrackedList list = TrackedList.ofOneThread();
        List<WrappedStatement> statements = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            WrappedStatement statement = new WrappedStatement(inUse, recorder.idle(Statement.class));
            list.add(statement);
            statements.add(statement);
        }
        recorder.failure = new SQLException("no");

        assertThatThrownBy(list::closeAll).isSameAs(recorder.failure);

        assertThat(list.isEmpty()).isTrue();
        assertThat(recorder.names()).filteredOn("close"::equals).hasSize(1);
        assertThat(statements).allMatch(s -> s.slot == Tracked.CLOSED);
    }

    @Test
    void anArrayThatGrewLargeIsNotKept() throws SQLException {
        WrappedConnection inUse = owner.acquire(recorder.idle(Connection.class));
        for (int i = 0; i < 10 * TrackedList.KEPT_MAX; i++) {
            inUse.createStatement();
        }
        assertThat(inUse.physical.open.size()).isEqualTo(10 * TrackedList.KEPT_MAX - 1);

        inUse.close();

        assertThat(inUse.physical.open.capacity()).isZero();
    }

    @Test
    void anArrayThatGrewLargeAndWasEmptiedIsNotKeptEither() throws SQLException {
        WrappedConnection inUse = owner.acquire(recorder.idle(Connection.class));
        List<Statement> statements = new ArrayList<>();
        for (int i = 0; i < 10 * TrackedList.KEPT_MAX; i++) {
            statements.add(inUse.createStatement());
        }
        for (Statement statement : statements) {
            statement.close();
        }

        inUse.close();

        assertThat(inUse.physical.open.capacity()).isZero();
    }

    @Test
    void whatAnotherThreadClosedIsDroppedBeforeTheArrayGrows() throws Exception {
        PhysicalConnection physical = new PhysicalConnection(recorder.idle(Connection.class));
        WrappedConnection inUse = owner.acquire(physical);
        Statement kept = inUse.createStatement();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < 1_000; i++) {
                Statement statement = inUse.createStatement();
                other.submit(() -> {
                            statement.close();
                            return null;
                        })
                        .get(30, TimeUnit.SECONDS);
            }
        } finally {
            other.shutdownNow();
        }

        assertThat(physical.open.capacity()).isLessThanOrEqualTo(16);
        inUse.close();
        assertThat(kept.isClosed()).isTrue();
        assertThat(owner.returns).containsExactly(true);
    }
}
