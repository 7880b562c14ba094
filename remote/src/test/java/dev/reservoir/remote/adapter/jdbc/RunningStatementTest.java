package dev.reservoir.remote.adapter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A cancel never hits the statement after the one that it was meant for. */
class RunningStatementTest {
    private final AtomicInteger cancels = new AtomicInteger();
    private final CountDownLatch cancelBegan = new CountDownLatch(1);
    private final CountDownLatch cancelMayEnd = new CountDownLatch(1);
    private final RunningStatement running = new RunningStatement((Statement) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {Statement.class}, (proxy, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("cancel");
                cancels.incrementAndGet();
                cancelBegan.countDown();
                assertThat(cancelMayEnd.await(20, TimeUnit.SECONDS)).isTrue();
                return null;
            }));

    @Test
    void aStatementThatHasEndedIsNotCancelled() throws Exception {
        assertThat(running.end()).isNull();
        assertThat(running.cancel(RunningStatement.Reason.CALLER)).isFalse();
        running.expire();
        assertThat(cancels).hasValue(0);
    }

    @Test
    void aStatementIsCancelledOnce() throws Exception {
        cancelMayEnd.countDown();
        assertThat(running.cancel(RunningStatement.Reason.CALLER)).isTrue();
        running.expire();
        assertThat(cancels).hasValue(1);
        assertThat(running.end()).isEqualTo(RunningStatement.Reason.CALLER);
    }

    @Test
    void theEndOfAStatementWaitsForACancelThatIsUnderWay() throws Exception {
        Thread canceller = new Thread(running::expire);
        canceller.start();
        assertThat(cancelBegan.await(20, TimeUnit.SECONDS)).isTrue();
        AtomicReference<RunningStatement.Reason> reason = new AtomicReference<>();
        Thread user = new Thread(() -> reason.set(running.end()));
        user.start();
        user.join(100);
        assertThat(user.isAlive()).isTrue();
        cancelMayEnd.countDown();
        user.join(20_000);
        canceller.join(20_000);
        assertThat(reason).hasValue(RunningStatement.Reason.TIMEOUT);
    }

    @Test
    void theEndOfADeadConnectionDoesNotWaitForACancelThatHangs() throws Exception {
        Thread canceller = new Thread(running::expire);
        canceller.start();
        assertThat(cancelBegan.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(running.endOfConnection()).isEqualTo(RunningStatement.Reason.TIMEOUT);
        assertThat(cancelMayEnd.getCount()).as("the cancel still hangs").isEqualTo(1);
        cancelMayEnd.countDown();
        canceller.join(20_000);
    }
}
