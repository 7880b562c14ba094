package dev.reservoir.remote.adapter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import java.lang.reflect.Proxy;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A server that does not answer a cancel delays no cancel of another server. */
class StatementTimerTest {
    private static final Duration SOON = Duration.ofMillis(1);

    private final StatementTimer timer = StatementTimer.SHARED;

    private static ServerDefinition server(String name) throws RemoteException {
        return ServerDefinition.builder(name, RemoteDatabaseType.POSTGRESQL)
                .host("127.0.0.1")
                .build();
    }

    private static RunningStatement statement(Runnable cancel) {
        return new RunningStatement((Statement) Proxy.newProxyInstance(
                StatementTimerTest.class.getClassLoader(),
                new Class<?>[] {Statement.class},
                (proxy, method, arguments) -> {
                    cancel.run();
                    return null;
                }));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void cancelsThatHangDelayNoCancelOfAnotherServer() throws Exception {
        ServerDefinition silent = server("silent");
        ServerDefinition healthy = server("healthy");
        int count = 20;
        CountDownLatch twoHang = new CountDownLatch(2);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch allEnded = new CountDownLatch(count);
        CountDownLatch cancelled = new CountDownLatch(1);
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger mostAtOnce = new AtomicInteger();
        try {
            for (int i = 0; i < count; i++) {
                RunningStatement hanging = statement(() -> {
                    mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    twoHang.countDown();
                    await(mayEnd);
                    atOnce.decrementAndGet();
                    allEnded.countDown();
                });
                assertThat(timer.start(hanging, SOON, timer.cancelsOf(silent))).isNotNull();
            }
            await(twoHang);
            assertThat(timer.start(statement(cancelled::countDown), SOON, timer.cancelsOf(healthy)))
                    .isNotNull();
            await(cancelled);
        } finally {
            mayEnd.countDown();
        }
        await(allEnded);
        assertThat(mostAtOnce).as("cancels of one server at once").hasValue(2);
    }
}
