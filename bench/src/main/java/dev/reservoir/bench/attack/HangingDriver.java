package dev.reservoir.bench.attack;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.stub.StubConnection;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.Validation;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Some methods never return on connections that are open when the attack begins. Connections opened later are healthy.
 * Callers must meet their deadlines, the pool must serve again, and its close must end.
 */
final class HangingDriver implements AttackPart.Attack {

    private static final int SIZE = 4;
    private static final Duration ACQUIRE = Duration.ofSeconds(1);
    private static final Duration SLACK = Duration.ofSeconds(1);
    private static final Duration RECOVERY = Duration.ofSeconds(10);

    /** Longest time for close: the drain of 10 s plus a margin. */
    private static final Duration CLOSE = Duration.ofSeconds(20);

    private final Set<String> methods;
    private final AtomicInteger epoch = new AtomicInteger();
    private final AtomicInteger hanging = new AtomicInteger();
    private final CountDownLatch never = new CountDownLatch(1);

    HangingDriver(String... methods) {
        this.methods = Set.of(methods);
    }

    @Override
    public void run(Verdict verdict) throws Exception {
        ReservoirDataSourceBuilder builder = ReservoirDataSource.builder()
                .name("hanging-" + String.join("-", methods))
                .dataSource(dataSource())
                .maxOpen(SIZE)
                .acquireTimeout(ACQUIRE);
        if (methods.contains("isValid")) {
            builder.validation(Validation.CHECKOUT);
        }
        ReservoirDataSource pool = builder.build();
        Checkouts checkouts = new Checkouts(pool, false);
        checkouts.start(8);
        verdict.check(Checkouts.awaitMore(checkouts.served, RECOVERY), "served before");
        checkouts.forgetLongest();
        epoch.incrementAndGet();
        if (methods.contains("close")) {
            pool.flush();
        }
        boolean attacked = Polling.until(RECOVERY, () -> hanging.get() > 0);
        verdict.check(attacked, "calls hang");
        long beganNanos = System.nanoTime();
        boolean served = Checkouts.awaitMore(checkouts.served, RECOVERY);
        long servedMillis = (System.nanoTime() - beganNanos) / 1_000_000;
        verdict.check(served, served ? "served again after " + servedMillis + " ms" : "not served for 10 s");
        Thread.sleep(3_000);
        int waiting = checkouts.stop(ACQUIRE.plus(SLACK));
        verdict.check(
                waiting == 0 && checkouts.longest().compareTo(ACQUIRE.plus(SLACK)) <= 0,
                "longest checkout " + checkouts.longest().toMillis() + " ms of 1 s allowed, " + waiting + " hang");
        verdict.check(hanging.get() <= 2 * SIZE, hanging.get() + " calls hang at last");
        Checkouts.checkTogether(verdict, pool, SIZE, ACQUIRE.multipliedBy(5));
        beganNanos = System.nanoTime();
        boolean closed = closes(pool);
        long closeMillis = (System.nanoTime() - beganNanos) / 1_000_000;
        verdict.check(closed, closed ? "close() took " + closeMillis + " ms" : "close() did not end within 20 s");
        never.countDown();
    }

    private static boolean closes(ReservoirDataSource pool) throws InterruptedException {
        Thread closer = Daemons.start("closer", pool::close);
        closer.join(CLOSE.toMillis());
        return !closer.isAlive();
    }

    private DataSource dataSource() {
        return proxy(DataSource.class, (self, method, arguments) -> switch (method.getName()) {
            case "getConnection" -> connection();
            case "toString" -> "hanging";
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> false;
            default -> null;
        });
    }

    private Connection connection() {
        Connection healthy = new StubConnection();
        int born = epoch.get();
        return proxy(Connection.class, (self, method, arguments) -> {
            if (born != epoch.get() && methods.contains(method.getName())) {
                hanging.incrementAndGet();
                hang();
            }
            try {
                return method.invoke(healthy, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    /** Ignores interrupts, as a native call would. */
    private void hang() {
        while (never.getCount() > 0) {
            try {
                never.await();
            } catch (InterruptedException e) {
                // Goes on waiting.
            }
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
