package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.Validation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Drivers that throw errors or never return cost only the connections and threads that they block. */
@Timeout(120)
class BadDriverTest {
    private static final int POOL = 3;

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger isValidCalls = new AtomicInteger();

    /** The faults that replace methods, by method name. */
    private final Map<String, Fault> faults = new ConcurrentHashMap<>();

    /** One fault. */
    @FunctionalInterface
    private interface Fault {
        void happen() throws Exception;
    }

    @AfterEach
    void letAllReturn() {
        end.countDown();
    }

    /** Ignores interrupts, as the read of a socket does. */
    private void hang() {
        boolean over = false;
        while (!over) {
            try {
                end.await();
                over = true;
            } catch (InterruptedException e) {
                // Ignored.
            }
        }
    }

    private DataSource driver(String name) {
        PGSimpleDataSource driver = new PGSimpleDataSource();
        driver.setUrl(TestPostgres.url());
        driver.setApplicationName(name);
        return (DataSource) proxy(DataSource.class, driver);
    }

    private Object proxy(Class<?> type, Object real) {
        return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            if (method.getName().equals("isValid")) {
                isValidCalls.incrementAndGet();
            }
            Fault fault = faults.get(method.getName());
            if (fault != null) {
                fault.happen();
            }
            try {
                Object result = method.invoke(real, arguments);
                return result instanceof Connection ? proxy(Connection.class, result) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    private ReservoirDataSourceBuilder builder(String name) {
        return Pools.named(name, driver(name))
                .maxOpen(POOL)
                .validationTimeout(Duration.ofMillis(500))
                .drainTimeout(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"CHECKOUT", "BACKGROUND"})
    void aDriverOlderThanIsValidKeepsItsConnections(String validation) throws Exception {
        String name = "bad-driver-old-" + validation;
        faults.put("isValid", () -> {
            throw new AbstractMethodError("isValid");
        });
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool =
                        builder(name).validation(Validation.valueOf(validation)).build()) {
            List<Integer> before = backends.pids(name);
            for (int i = 0; i < 10; i++) {
                Pools.useOnce(pool);
            }
            Awaitility.await("asked").atMost(Pools.PATIENCE).until(() -> isValidCalls.get() >= 3);
            Pools.awaitReady(pool, POOL);
            assertThat(backends.pids(name)).isEqualTo(before);
            assertThat(pool.stats().discards()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CHECKOUT", "BACKGROUND"})
    void anErrorOfIsValidIsOvercome(String validation) throws Exception {
        String name = "bad-driver-error-" + validation;
        faults.put("isValid", () -> {
            if (isValidCalls.get() <= POOL) {
                throw new StackOverflowError("for a test");
            }
        });
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool =
                        builder(name).validation(Validation.valueOf(validation)).build()) {
            Pools.useOnce(pool);
            Awaitility.await("asked again").atMost(Pools.PATIENCE).until(() -> isValidCalls.get() > POOL + 1);
            Pools.awaitReady(pool, POOL);
            backends.awaitCount(name, POOL);
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    @Test
    void validationsThatNeverReturnAreLeftBehind() throws Exception {
        String name = "bad-driver-validation";
        faults.put("isValid", () -> {
            if (isValidCalls.get() <= POOL) {
                hang();
            }
        });
        try (ReservoirDataSource pool =
                builder(name).validation(Validation.CHECKOUT).build()) {
            for (int i = 0; i < 2 * POOL; i++) {
                Pools.useOnce(pool);
            }
            assertThat(pool.stats().inUse()).isZero();
            closeWithinTheLimit(pool);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closesThatNeverReturnAreLeftBehind(boolean abortHangsToo) throws Exception {
        String name = abortHangsToo ? "bad-driver-abort" : "bad-driver-close";
        try (ReservoirDataSource pool = builder(name).build()) {
            faults.put("close", this::hang);
            if (abortHangsToo) {
                faults.put("abort", this::hang);
            }
            try (Connection connection = pool.getConnection()) {
                pool.evict(connection);
            }
            for (int i = 0; i < 2 * POOL; i++) {
                Pools.useOnce(pool);
            }
            Awaitility.await("full again")
                    .atMost(Pools.PATIENCE)
                    .until(() -> pool.stats().ready() == POOL);
            closeWithinTheLimit(pool);
        }
        end.countDown();
        Pools.assertNoThreads(name);
    }

    /** If this does not return, the limit of the tests ends it. */
    private static void closeWithinTheLimit(ReservoirDataSource pool) {
        pool.close();
        assertThat(pool.isClosed()).isTrue();
    }
}
