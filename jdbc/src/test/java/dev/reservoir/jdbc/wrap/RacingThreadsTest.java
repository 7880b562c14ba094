package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.TestConnectionOwner;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads use one connection while one of them closes it, many times over. The driver knows to which checkout each of
 * its statements belongs. It reports any call of an ended checkout that reached it while another caller had the
 * connection.
 */
class RacingThreadsTest {
    private static final int ROUNDS = 3_000;
    private static final int STATEMENTS = 8;

    private final TestConnectionOwner owner = new TestConnectionOwner();

    /**
     * A driver's connection that counts its open statements, and their uses in checkouts to which they do not belong.
     */
    private static final class Driver {
        final AtomicInteger checkout = new AtomicInteger();
        final AtomicInteger open = new AtomicInteger();
        final AtomicInteger strays = new AtomicInteger();
        final Connection connection = proxy(Connection.class, this::call);

        private Object call(Object self, Method method, Object[] arguments) {
            return switch (method.getName()) {
                case "createStatement" -> statement();
                case "getAutoCommit" -> true;
                default -> null;
            };
        }

        private Statement statement() {
            int mine = checkout.get();
            AtomicInteger isOpen = new AtomicInteger(1);
            open.incrementAndGet();
            return proxy(Statement.class, (self, method, arguments) -> {
                switch (method.getName()) {
                    case "execute" -> {
                        if (checkout.get() != mine) {
                            strays.incrementAndGet();
                        }
                        return true;
                    }
                    case "close" -> {
                        open.addAndGet(-isOpen.getAndSet(0));
                        return null;
                    }
                    default -> {
                        return isOpen.get() == 0;
                    }
                }
            });
        }

        private static <T> T proxy(Class<T> type, java.lang.reflect.InvocationHandler handler) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
        }
    }

    private static List<Statement> use(Connection connection) {
        List<Statement> made = new ArrayList<>();
        try {
            for (int i = 0; i < STATEMENTS; i++) {
                Statement statement = connection.createStatement();
                made.add(statement);
                statement.execute("insert");
                if (i % 3 == 0) {
                    statement.close();
                }
            }
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("08003");
        }
        return made;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingOfAnEndedCheckoutReachesTheNext(boolean severalThreadsExpected) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        int reused = 0;
        try {
            Driver driver = new Driver();
            PhysicalConnection physical = new PhysicalConnection(driver.connection);
            for (int round = 0; round < ROUNDS; round++) {
                owner.severalThreads = severalThreadsExpected;
                WrappedConnection inUse = owner.acquire(physical);
                CyclicBarrier start = new CyclicBarrier(3);
                int closer = round % 3;
                List<Future<List<Statement>>> uses = new ArrayList<>();
                for (int t = 0; t < 2; t++) {
                    boolean closes = closer == t;
                    uses.add(threads.submit(() -> {
                        start.await(30, TimeUnit.SECONDS);
                        List<Statement> made = use(inUse);
                        if (closes) {
                            inUse.close();
                        }
                        return made;
                    }));
                }
                start.await(30, TimeUnit.SECONDS);
                if (closer == 2) {
                    for (int i = 0; i < round % 500; i++) {
                        Thread.onSpinWait();
                    }
                    inUse.close();
                }
                boolean isOver = closer == 2;
                boolean good = isOver && checkEnd(driver, round);
                List<Statement> made = new ArrayList<>();
                for (Future<List<Statement>> use : uses) {
                    made.addAll(use.get(30, TimeUnit.SECONDS));
                }
                if (!isOver) {
                    good = checkEnd(driver, round);
                }
                for (Statement statement : made) {
                    assertThat(statement.isClosed()).isTrue();
                }
                if (good) {
                    reused++;
                    assertThat(driver.open).as("round %d", round).hasValue(0);
                    assertThat(driver.strays).as("round %d", round).hasValue(0);
                } else {
                    driver = new Driver();
                    physical = new PhysicalConnection(driver.connection);
                }
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(owner.returns).hasSize(ROUNDS);
        assertThat(reused).as("connections reused").isPositive();
    }

    /**
     * The next checkout begins as soon as the connection is released. Threads may still be leaving this checkout then.
     */
    private boolean checkEnd(Driver driver, int round) {
        assertThat(owner.returns).hasSize(round + 1);
        boolean good = owner.returns.get(round);
        if (good) {
            driver.checkout.incrementAndGet();
        }
        return good;
    }

    @Test
    void statementsOfTwoThreadsAreAllClosedByAThirdAndTheConnectionIsReused() throws Exception {
        owner.severalThreads = true;
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Driver driver = new Driver();
            PhysicalConnection physical = new PhysicalConnection(driver.connection);
            for (int round = 0; round < ROUNDS; round++) {
                WrappedConnection inUse = owner.acquire(physical);
                CyclicBarrier start = new CyclicBarrier(2);
                List<Future<List<Statement>>> uses = new ArrayList<>();
                for (int t = 0; t < 2; t++) {
                    uses.add(threads.submit(() -> {
                        start.await(30, TimeUnit.SECONDS);
                        return use(inUse);
                    }));
                }
                for (Future<List<Statement>> use : uses) {
                    assertThat(use.get(30, TimeUnit.SECONDS)).hasSize(STATEMENTS);
                }
                inUse.close();

                assertThat(driver.open).as("round %d", round).hasValue(0);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(owner.returns).hasSize(ROUNDS).doesNotContain(false);
    }
}
