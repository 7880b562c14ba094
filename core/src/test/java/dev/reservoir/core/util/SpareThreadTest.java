package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The thread that stands by: one for all holders, there from the start, gone with the last. */
class SpareThreadTest {
    private static WorkerThreads hold() {
        return WorkerThreads.of(WorkerThreads.Kind.SPARE, "", null);
    }

    private static Thread thread() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        WorkerThreads.executeOnSpare(() -> ran.complete(Thread.currentThread()));
        return ran.get(1, TimeUnit.MINUTES);
    }

    @Test
    void allHoldersShareOneThreadThatEndsWithTheLastOfThem() throws Exception {
        WorkerThreads first = hold();
        WorkerThreads second = hold();
        Thread thread = thread();
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread()).isSameAs(thread);
        first.close();
        first.close();
        assertThat(thread()).isSameAs(thread);
        second.close();
        await().atMost(Duration.ofMinutes(1)).until(() -> !thread.isAlive());
    }

    @Test
    void aTaskThatThrowsDoesNotEndIt() throws Exception {
        try (WorkerThreads spare = hold()) {
            Thread thread = thread();
            thread.setUncaughtExceptionHandler((t, e) -> {});
            WorkerThreads.executeOnSpare(() -> {
                throw new AssertionError("scripted");
            });
            assertThat(thread()).isSameAs(thread);
            assertThat(spare.isFull()).isTrue();
        }
    }

    @Test
    void afterItsEndATaskIsStillRunOnAThreadOfItsOwn() throws Exception {
        hold().close();
        assertThat(thread()).isNotSameAs(Thread.currentThread());
    }
}
