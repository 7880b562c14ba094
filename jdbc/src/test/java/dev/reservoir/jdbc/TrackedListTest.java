package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is open on a connection is known exactly, in any order of opening and closing. */
class TrackedListTest {
    private final Recorder recorder = new Recorder();
    private final TestHome home = new TestHome();

    @Test
    void anyOrderOfOpeningAndClosingLeavesExactlyTheOpenOnes() throws SQLException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        PhysicalConnection physical = new PhysicalConnection(recorder.idle(Connection.class));
        for (int loan = 0; loan < 50; loan++) {
            LentConnection lent = home.lend(physical);
            List<Statement> open = new ArrayList<>();
            for (int step = 0; step < 200; step++) {
                if (open.isEmpty() || random.nextInt(5) < 3) {
                    open.add(lent.createStatement());
                } else {
                    open.remove(random.nextInt(open.size())).close();
                }
            }
            recorder.clear();

            lent.close();

            assertThat(recorder.names())
                    .as("seed %d", seed)
                    .filteredOn("close"::equals)
                    .hasSize(open.size());
            assertThat(physical.isUntouched()).as("seed %d", seed).isTrue();
        }
        assertThat(home.returns).doesNotContain(false);
    }

    @Test
    void aFailureWhileClosingDetachesTheRest() throws SQLException {
        LentConnection lent = home.lend(recorder.idle(Connection.class));
        TrackedList list = new TrackedList();
        List<LentStatement> statements = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LentStatement statement = new LentStatement(lent, recorder.idle(Statement.class));
            statement.slot = ConnectionBase.slotOf(list.add(statement));
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
        LentConnection lent = home.lend(recorder.idle(Connection.class));
        for (int i = 0; i < 10 * TrackedList.KEPT_MAX; i++) {
            lent.createStatement();
        }
        assertThat(lent.physical.open.size()).isEqualTo(10 * TrackedList.KEPT_MAX - 1);

        lent.close();

        assertThat(lent.physical.open.capacity()).isZero();
    }

    @Test
    void anArrayThatGrewLargeAndWasEmptiedIsNotKeptEither() throws SQLException {
        LentConnection lent = home.lend(recorder.idle(Connection.class));
        List<Statement> statements = new ArrayList<>();
        for (int i = 0; i < 10 * TrackedList.KEPT_MAX; i++) {
            statements.add(lent.createStatement());
        }
        for (Statement statement : statements) {
            statement.close();
        }

        lent.close();

        assertThat(lent.physical.open.capacity()).isZero();
    }

    @Test
    void twoThreadsAtOnceNeverMakeItLoopOrThrow() throws Exception {
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        TrackedList list = new TrackedList();
        LentConnection lent = home.lend(new Recorder().idle(Connection.class));
        Statement raw = new Recorder().idle(Statement.class);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        for (int t = 0; t < 2; t++) {
            threads.execute(() -> {
                try {
                    addAndRemove(list, lent, raw);
                } catch (RuntimeException | Error e) {
                    failures.add(e);
                }
            });
        }
        threads.shutdown();

        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        list.detachAll();
        assertThat(list.isEmpty()).isTrue();
    }

    private static void addAndRemove(TrackedList list, LentConnection lent, Statement raw) {
        List<LentStatement> mine = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            LentStatement statement = new LentStatement(lent, raw);
            statement.slot = ConnectionBase.slotOf(list.add(statement));
            mine.add(statement);
            if (mine.size() > 5) {
                LentStatement gone = mine.remove(i % 5);
                if (gone.slot > 0) {
                    list.remove(gone, gone.slot - 1);
                }
            }
        }
    }
}
