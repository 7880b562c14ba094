package dev.reservoir.jdbc.faults;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Records when each session of a server was found to work, and when a worker met a broken one. From that it tells
 * whether a pool could have avoided the error.
 *
 * <p>A server seldom ends all its sessions at one instant. A session that answers a validation and is killed a moment
 * later looks good to every pool. So a worker that met a broken session can meet another one, and no pool can prevent
 * that. But a pool must never hand such a worker a session that was not validated since.
 */
final class ValidationLog {
    /** A worker met a broken session in a round that began at this time. */
    record Hit(int worker, int session, long begunNanos) {}

    private final Map<Integer, Collection<Long>> validatedNanos = new ConcurrentHashMap<>();
    private final Collection<Hit> hits = new ConcurrentLinkedQueue<>();

    /** Opens connections that report their validations here. */
    DataSource dataSource(String url, String application) {
        PGSimpleDataSource driver = new PGSimpleDataSource();
        driver.setUrl(url);
        driver.setApplicationName(application);
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = call(driver, method, arguments);
            return result instanceof Connection connection ? watched(connection) : result;
        });
    }

    private Connection watched(Connection connection) throws SQLException {
        int session = session(connection);
        Collection<Long> times = new ConcurrentLinkedQueue<>();
        times.add(System.nanoTime());
        validatedNanos.put(session, times);
        return proxy(Connection.class, (self, method, arguments) -> {
            long begunNanos = System.nanoTime();
            Object result = call(connection, method, arguments);
            if (method.getName().equals("isValid") && Boolean.TRUE.equals(result)) {
                times.add(begunNanos);
            }
            return result;
        });
    }

    /** Does the same work, and records its failures here. */
    Load.Work watched(Load.Work work) {
        return (connection, worker, round) -> {
            int session = session(connection);
            long begunNanos = System.nanoTime();
            try {
                work.on(connection, worker, round);
            } catch (SQLException e) {
                hits.add(new Hit(worker, session, begunNanos));
                throw e;
            }
        };
    }

    /** Returns hits after the first hit of a worker, by sessions that were not validated since its last hit. */
    List<Hit> hitsWithoutExcuse() {
        Map<Integer, Hit> last = new HashMap<>();
        List<Hit> without = new ArrayList<>();
        for (Hit hit : hits) {
            Hit before = last.put(hit.worker, hit);
            if (before != null && !isValidatedBetween(hit.session, before.begunNanos, hit.begunNanos)) {
                without.add(hit);
            }
        }
        return without;
    }

    private boolean isValidatedBetween(int session, long fromNanos, long toNanos) {
        return validatedNanos.getOrDefault(session, List.of()).stream()
                .anyMatch(time -> time - fromNanos >= 0 && toNanos - time >= 0);
    }

    private static int session(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(ValidationLog.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
