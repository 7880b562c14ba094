package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.jdbc.Validation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Sessions break one at a time while the server works. Callers wait for validations of the other sessions once, and not
 * each time.
 */
@Timeout(120)
class BrokenSessionsTest {
    private static final int POOL = 10;
    private static final int KILLS = 12;

    private final AtomicInteger validations = new AtomicInteger();

    @Test
    void onlyTheFirstOneMakesAllOthersSuspect() throws Exception {
        String name = "broken-sessions";
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource pool = Pools.named(name, slowToValidate(name))
                        .maxOpen(POOL)
                        .validation(Validation.BACKGROUND)
                        .build()) {
            breakOne(pool);
            Awaitility.await("the first alarm").atMost(Pools.PATIENCE).until(() -> validations.get() >= POOL - 1);
            Pools.awaitReady(pool, POOL);
            long begunNanos = System.nanoTime();
            int before = validations.get();
            for (int i = 0; i < KILLS; i++) {
                breakOne(pool);
                Pools.awaitReady(pool, POOL);
            }
            long seconds = Duration.ofNanos(System.nanoTime() - begunNanos).toSeconds() + 1;
            // One of the others is validated for all of them, twice if the next sign comes meanwhile. In addition one
            // is validated each second.
            assertThat(validations.get() - before)
                    .as("validations after %s broken sessions in %s s", KILLS, seconds)
                    .isLessThanOrEqualTo((int) (2 * KILLS + seconds));
            Pools.closeAndCheck(pool, name, backends);
        }
    }

    private static void breakOne(ReservoirDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            assertThatThrownBy(() -> Pools.number(connection, "select pg_terminate_backend(pg_backend_pid())::int"))
                    .isInstanceOf(SQLException.class);
        }
    }

    private DataSource slowToValidate(String name) {
        PGSimpleDataSource driver = new PGSimpleDataSource();
        driver.setUrl(TestPostgres.url());
        driver.setApplicationName(name);
        return (DataSource) proxy(DataSource.class, driver);
    }

    private Object proxy(Class<?> type, Object real) {
        return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            if (method.getName().equals("isValid")) {
                validations.incrementAndGet();
                TimeUnit.MILLISECONDS.sleep(20);
            }
            try {
                Object result = method.invoke(real, arguments);
                return result instanceof Connection ? proxy(Connection.class, result) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }
}
