package dev.reservoir.flightsql.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.util.EventDispatcher;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Handles that were collected while no thread was free. */
class OpenHandlesTest {
    private final OpenHandles handles =
            new OpenHandles("test", 0, new EventDispatcher(Runnable::run, LoggerFactory.getLogger(getClass())));
    private final AtomicInteger rejected = new AtomicInteger();
    private final AtomicInteger recovered = new AtomicInteger();

    private final OpenHandles.Core core = new OpenHandles.Core() {
        @Override
        public void recover() {
            recovered.incrementAndGet();
        }

        @Override
        public String what() {
            return "result";
        }
    };

    private void reject(Runnable task) {
        rejected.incrementAndGet();
        throw new RejectedExecutionException("no thread");
    }

    @Test
    void aHandleThatNoThreadCouldRecoverIsRecoveredByTheNextLook() {
        handles.add(new Object(), core);
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            handles.look(this::reject);
            return rejected.get() > 0;
        });
        assertThat(handles.size()).isEqualTo(1);
        handles.look(Runnable::run);
        handles.look(Runnable::run);
        assertThat(recovered).hasValue(1);
        assertThat(handles.size()).isZero();
    }
}
